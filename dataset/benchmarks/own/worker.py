"""Answers one request about a file with a user's own operator; started by `kgtrain tasks add` and `kgtrain judge`.

    worker.py FILE

Requests and answers: ../serving.py. The file is executed with the rights of whoever started kgtrain.
"""

import math
import pathlib
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import serving
from serving import send

if __name__ == "__main__":
    serving.take_pipes()

import short_prompt
from reference import Reference, Refused, quiet


MOST_CONSTRUCTED = 1 << 28  # elements of parameters that are made at full size only because a constructor looks at numbers


class Worker:
    def __init__(self, path):
        self.path = path

    def do_operator(self, **asked):
        try:
            return self._operator(**asked)
        except Refused as error:
            return {"refused": error.what, "line": error.line, "hint": error.hint}

    def _operator(self, shapes, dtype, operator, evaluation, most_bytes, ub_bytes, seed, seconds):
        reference = Reference(self.path, operator)  # before PyTorch is loaded
        import torch

        import cases
        import running

        torch.set_num_threads(serving.THREADS)
        maker = cases.CaseMaker(reference, running.Runner(reference, seconds), cases.DTYPES.get(dtype), evaluation, most_bytes,
                                ub_bytes)
        made, full, own = [], None, {}
        for i, text in enumerate(shapes or [""]):
            sizes = cases.Sizes(text, reference, maker.input_names() if text else [])
            group, whole = self._group(maker, sizes, f"shape {i}" if len(shapes) > 1 else "", seed + 10 * i)
            made += group
            if full is None and (whole or i == 0):
                full, own = whole, sizes.values  # the extents of what the prompt shows
        described = [case for case, _ in made]
        for index, (_, case) in enumerate(made):
            self._send(index, case)
        if full:
            described.append(full)
        first = described[0]
        shown = full or first
        held = [(shown["inputs"][place["tensor"]]["name"], path) for path, place in first["call"]["state"].items()]
        text = short_prompt.of_module(shown["inputs"], shown["outputs"], reference.text, held,
                                      self._steps(maker, own if full else {**own, **first["call"]["extents"]}, first, shown))
        return {"name": reference.path.stem, "entry_point": short_prompt.ENTRY_POINT,
                "block_dim": short_prompt.VECTOR_CORES, "cases": described, "prompt_short": text}

    @staticmethod
    def _steps(maker, extents, first, shown):
        """The operators of a case, one by one; nothing if they cannot be found without data."""
        import torch

        import running
        import traced

        state = first["call"]["state"]
        given, kept = shown["inputs"][:-len(state) or None], shown["inputs"][-len(state):] if state else []
        try:
            with torch.device("meta"), quiet():
                elements = sum(math.prod(one["shape"]) for one in kept)
                model = running.without_data(Worker._constructed(maker, extents, elements <= MOST_CONSTRUCTED))
                tensors = {path: tensor for path, tensor, _ in running.state_of(model)}
                return traced.of_call(model, first["call"]["arguments"], given, [(one["name"], tensors[path]) for one, path in zip(kept, state)],
                                      shown["outputs"], running.result_list)
        except Exception as error:
            serving.say(f"its operators cannot be told one by one: {error}")
            return []

    @staticmethod
    def _constructed(maker, extents, small):
        """The module without data; with data if it looks at some while it is constructed and is small enough."""
        import torch

        try:
            return maker.constructed(maker.reference.at(extents), 0)
        except Refused:
            if not small:
                raise
            with torch.device("cpu"):
                return maker.constructed(maker.reference.at(extents), 0)

    @staticmethod
    def _group(maker, sizes, label, seed):
        """The cases of one --shape: with the file's own numbers, and with numbers that expose cheats."""
        values, full = {}, None
        if not sizes.shapes and not maker.fits(sizes.values):
            values, full = maker.smaller(sizes)
        made = [maker.make(sizes, values, seed, spread=False)]
        if made[0].bytes() > maker.most_bytes and full is None and not sizes.shapes:
            values, full = maker.smaller(sizes)
            made = [maker.make(sizes, values, seed, spread=False)]
        made.append(maker.make(sizes, values, seed + 1, spread=True))
        if made[0].shapes() != made[1].shapes():
            raise Refused("the shape of its result depends on the numbers of its inputs", maker.reference.line_of_return(),
                          "return a result of a fixed shape")
        described = []
        for number, case in enumerate(made):
            notes = case.cheats()
            if values:
                notes.append("sizes: " + ", ".join(f"{name}={value}" for name, value in values.items()))
                if full and full.other_numbers:
                    notes.append("at these sizes the module computes other numbers than at the file's, and a kernel with those is "
                                 "wrong; more with --largest keeps them")
            described.append((case.described(" ".join(filter(None, [label, f"numbers {number}"])), notes), case))
        return described, full.described(described[0][0]) if full else None

    @staticmethod
    def _send(index, case):
        import tensors

        for role, several in (("input", [tensor for _, tensor in case.inputs]), ("golden64", case.golden)):
            for i, tensor in enumerate(several):
                send({"case": index, "role": role, "index": i, "dtype": tensors.type_name(tensor), "shape": list(tensor.shape)},
                     tensors.raw(tensor))


def show_once():
    """A warning is printed once: the file is run again for each size and each draw."""
    shown, show = set(), warnings.showwarning

    def showwarning(message, category, filename, lineno, file=None, line=None):
        if (str(message), filename, lineno) not in shown:
            shown.add((str(message), filename, lineno))
            show(message, category, filename, lineno, file, line)

    warnings.showwarning = showwarning


def main():
    show_once()
    serving.serve("an operator", lambda: None, lambda: Worker(sys.argv[1]), bound=True)


if __name__ == "__main__":
    main()
