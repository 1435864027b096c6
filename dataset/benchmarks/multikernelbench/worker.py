"""Answers requests about a checkout of MultiKernelBench; started by `kgtrain tasks import` and `kgtrain judge`.

    worker.py DIR

Requests and answers: ../serving.py. What is executed are the benchmark's own reference modules.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import serving
from serving import Unreadable, send

serving.take_pipes()

import checkout
import frame
import prompt
import short_prompt

READ = ["reference", "config.py", "utils/correctness.py", "utils/cheating_detection.py"]
FP64_COST = 4  # times the cost of the same in fp32


class Worker:
    def __init__(self, root):
        self.root = root
        self.tasks = {task_id: checkout.Task(root, task_id) for task_id in checkout.task_ids(root)}
        self.rules = checkout.Rules(root)
        self._trials = None
        self._scale = None

    def do_tasks(self):
        detection = pathlib.Path(self.root) / "utils" / "cheating_detection.py"
        return {"tasks": list(self.tasks), "commit": serving.commit(self.root), "content": serving.content(self.root, READ),
                "meta": {"cheating_detection": detection.read_text()}}

    def do_task(self, task, most_bytes=0, scale_bytes=0, ub_bytes=0):
        task = self.tasks[task]
        self._scale = (scale_bytes, ub_bytes) if scale_bytes else None
        # The name used by utils/ascend_compile_pipeline.py; a levelled task's number cannot begin a name in C++.
        operator = re.sub(r"^\d+_", "", task.name) + "_custom"
        type_name = "".join(word.capitalize() for word in operator.split("_") if word)
        text = prompt.make(task, type_name, operator)
        return {"level": task.level, "weight": 0, "category": task.category, "op_name": type_name,
                "entry_point": operator, "block_dim": 1, "rows": self._of(task).count(most_bytes) + (self._of(task).full is not None),
                "prompt_dynamic_kernel_only": "", "prompt_dynamic_full": text}

    def do_case(self, task, row, keep_bytes, most_bytes=0, expected=True, prompts=True, seconds=0, extents=None):
        """Without `expected` the reference runs only where it takes at most `seconds`, by estimate; else just the types and
        shapes of its results are told. fp64 results are made where the results are small enough to be kept (keep_bytes; 0: no
        bound), and do not take long either."""
        trials = self._of(self.tasks[task], extents)
        if row >= trials.count(most_bytes):
            return self._full_size(trials)
        arguments = trials.arguments(row, most_bytes)
        return self._send(trials, arguments, row, keep_bytes, expected, seconds, prompts)

    def do_other(self, task, row, seed, wide, extents=None):
        """The case with arguments drawn from another seed; `wide`: changed further. The module's weights stay."""
        import other_numbers

        trials = self._of(self.tasks[task], extents)
        arguments = trials.other_arguments(row, seed)
        if wide:
            other_numbers.widen(arguments, seed)
        return self._send(trials, arguments, row, 0, True, 0, prompts=False)

    def _send(self, trials, arguments, row, keep_bytes, expected, seconds, prompts):
        import forms
        import tensors

        given = []
        constructed_with = []
        call = {"seed": self.rules.seed, "init": forms.apart(trials.init(), constructed_with)["list"],
                "arguments": forms.apart(arguments, given)["list"]}
        if constructed_with:
            raise Unreadable("its module is constructed with tensors")
        if trials.values:
            call["extents"] = trials.values
        notes = [f"{name} is {value} here" for name, value in trials.values.items()]
        call["state"], call["frame"] = self._state(trials), frame.cut_out(trials.text)
        input_names = forms.names(trials.parameters(), call["arguments"])
        for i, tensor in enumerate(given):
            send({"role": "input", "index": i, "dtype": tensors.type_name(tensor), "shape": list(tensor.shape)},
                 tensors.raw(tensor))
        measured = trials.measured(arguments)
        compute = expected or measured is None or measured.seconds <= seconds
        if compute:
            result, random = trials.expected(arguments)
            if random:
                notes.append("its reference draws random numbers: no answer can be sure to draw the same ones")
        else:
            result = measured.result
            notes.append(f"its reference takes some {measured.seconds:.0f} s: expected outputs are made when they are needed")
        golden = []
        form = forms.apart(result, golden, lists_only=True)
        if not golden:
            raise Unreadable("its reference returns no tensor")
        if compute:
            for i, tensor in enumerate(golden):
                send({"role": "golden", "index": i, "dtype": tensors.type_name(tensor), "shape": list(tensor.shape)},
                     tensors.raw(tensor))
            quick = expected or measured is None or FP64_COST * measured.seconds <= seconds
            if not random and quick and (not keep_bytes or tensors.input_bytes(golden) <= keep_bytes):
                self._send_fp64(trials, arguments, golden, notes)
        specs = [{"dtype": tensors.type_name(tensor), "shape": list(tensor.shape)} for tensor in golden]
        inputs = [{"name": name, "kind": "REQUIRED", "dtype": tensors.type_name(tensor), "shape": list(tensor.shape)}
                  for name, tensor in zip(input_names, given)]
        return {"label": f"group {row}" if trials.grouped else f"trial {row}", "seed": self.rules.seed, "inputs": inputs,
                "outputs": [{"name": f"result_{i}", "kind": "REQUIRED", **spec} for i, spec in enumerate(specs)],
                "attributes": [], "essence": self._essence(trials, inputs, specs, call) if prompts else "", "checked": [{"outputs": [i], **spec, "golden": spec} for i, spec in enumerate(specs)],
                "check": {"name": "allclose", "absolute": self.rules.absolute, "relative": self.rules.relative},
                "notes": notes, "call": call, "result_form": form}

    @staticmethod
    def _state(trials):
        """The module's parameters and buffers, which an operator may be given in place of the module's own use of them."""
        import tensors

        model = trials.model()
        held = [*model.named_parameters(), *model.named_buffers()]
        return [{"path": path, "name": path.replace(".", "_"), "dtype": tensors.type_name(tensor), "shape": list(tensor.shape)}
                for path, tensor in held if not path.endswith("num_batches_tracked")]

    @staticmethod
    def _at_full_size(trials, role, specs):
        shapes = [shape for which, shape, _ in trials.full or [] if which == role]
        return [{**one, "shape": shape} for one, shape in zip(specs, shapes)] if len(shapes) == len(specs) else specs

    def _essence(self, trials, inputs, outputs, call):
        shown = self._at_full_size(trials, "input", inputs)
        state = self._at_full_size(trials, "state", call["state"])
        named = self._at_full_size(trials, "output", [{"name": "out" if len(outputs) == 1 else f"out{i}", **spec}
                                                      for i, spec in enumerate(outputs)])
        held = [(one["name"], one["path"]) for one in state]
        return short_prompt.of_module(shown + state, named, trials.text, held, self._steps(trials, shown, named, call))

    @staticmethod
    def _steps(trials, inputs, outputs, call):
        """The operators of a module, one by one, at the file's own sizes; nothing if they cannot be found without data."""
        import torch

        import traced
        from trials import quiet

        try:
            with torch.device("meta"), quiet():
                module = trials.at_full_size()
                model = module.Model(*module.get_init_inputs())
                tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
                return traced.of_call(model, call["arguments"], inputs, [(one["name"], tensors[one["path"]]) for one in call["state"]],
                                      outputs)
        except Exception as error:
            serving.say(f"{trials.task.name}: its operators cannot be told one by one: {error}")
            return []

    def _full_size(self, trials):
        """Only sizes: those of the file, for which a program in the DSL is lowered, too."""
        import forms
        import tensors

        given, results = [], []
        arguments = trials.arguments(0, 0)
        call = {"arguments": forms.apart(arguments, given)["list"], "state": self._state(trials)}
        forms.apart(trials.expected(arguments)[0], results, lists_only=True)
        names = forms.names(trials.parameters(), call["arguments"])
        inputs = [{"name": name, "kind": "REQUIRED", "dtype": tensors.type_name(tensor), "shape": list(tensor.shape)}
                  for name, tensor in zip(names, given)]
        outputs = [{"name": f"result_{i}", "kind": "REQUIRED", "dtype": tensors.type_name(tensor), "shape": list(tensor.shape)}
                   for i, tensor in enumerate(results)]
        call["state"] = self._at_full_size(trials, "state", call["state"])
        return {"label": "full size", "seed": trials.rules.seed, "inputs": self._at_full_size(trials, "input", inputs),
                "outputs": self._at_full_size(trials, "output", outputs), "attributes": [], "checked": [], "call": call,
                "check": {"name": "allclose"}, "notes": ["lowered for only"]}

    @staticmethod
    def _send_fp64(trials, arguments, golden, notes):
        import forms
        import tensors

        try:
            wide = []
            forms.apart(trials.expected64(arguments), wide)
            if [list(tensor.shape) for tensor in wide] != [list(tensor.shape) for tensor in golden]:
                raise ValueError("the reference's shapes differ in fp64")
        except Exception as error:
            notes.append("no fp64 outputs: " + str(error).split("\n")[0][:200])
            return
        import torch

        for i, tensor in enumerate(wide):
            tensor = tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)
            shape = list(tensor.shape) + ([2] if tensor.is_complex() else [])
            send({"role": "golden64", "index": i, "dtype": "float64", "shape": shape}, tensors.raw(tensor))

    def _of(self, task, extents=None):
        import torch

        from trials import Trials

        if self._trials is None or self._trials.task is not task or extents not in (None, self._trials.values):
            torch.set_num_threads(serving.THREADS)
            self._trials = None  # its groups of inputs may be large
            self._trials = Trials(task, self.rules, extents, self._scale)
        return self._trials


def main():
    root = sys.argv[1]
    serving.serve("MultiKernelBench", lambda: checkout.check(root), lambda: Worker(root), bound=True)


if __name__ == "__main__":
    main()
