#!/usr/bin/env python3
"""Compares what `kgtrain tasks import multikernelbench` stores with the reference modules, run here without kgtrain, and judges
our answers.

usage: compare_golden.py KGTRAIN CHECKOUT [--data FILE] [--only PARTS] [--seconds N] [--largest MB] [--no-answers]

Runs with a Python that has PyTorch and h5py. Tasks are imported into FILE (default: a temporary one), which goes on where an earlier
import stopped; what is in FILE and matches --only is compared. Inputs and expected outputs are made as the benchmark's
execute_template does: its seed, Model, the seed again, then all trials' inputs one after the other, one module for all
of them. Stored inputs and outputs must have these bytes; of those that are too large to be stored, the hash of the inputs must
fit (if the package xxhash is there). Exit status 1 if something differs or an answer fails, or nothing was compared.
"""

import argparse
import collections
import importlib.util
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import h5py
import numpy
import torch

try:
    import xxhash
except ImportError:
    xxhash = None

HERE = pathlib.Path(__file__).resolve().parent
TRIALS, SEED, THREADS = 5, 1024, 2
INPUT, GOLDEN = 0, 1


def flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in flat(item)]
    return []


def raw(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return tensor.reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def set_seed():
    torch.manual_seed(SEED)
    numpy.random.seed(SEED)
    random.seed(SEED)


def clone(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    return type(value)(clone(item) for item in value) if isinstance(value, (list, tuple)) else value


class Stored:
    """The tensors of a data set, read with h5py alone (docs/reference/data-format.md)."""

    def __init__(self, path):
        self.rows = collections.defaultdict(dict)
        self.file = h5py.File(path)
        for part in self.file["tensors"].values():  # one for each segment
            self._read(part)

    @staticmethod
    def _bytes(part, name, row):
        begin, end = part[name + "_offsets"][row:row + 2]
        return part[name + "_bytes"][begin:end].tobytes()

    def _read(self, part):
        columns = {name: part[name][:] for name in ("case_index", "role", "index", "byte_count", "hash")}
        for row in range(part.attrs["rows"]):
            case = self._bytes(part, "task", row).decode(), int(columns["case_index"][row])
            key = int(columns["role"][row]), int(columns["index"][row])
            self.rows[case][key] = (int(columns["byte_count"][row]), int(columns["hash"][row]), part, row)

    def data(self, part, row):
        return self._bytes(part, "data", row)


class Comparison:
    def __init__(self, checkout, stored):
        self.checkout, self.stored = checkout, stored
        self.counts = collections.Counter()
        self.wrong = []

    def task(self, task_id):
        path = self.checkout / "reference" / f"{task_id}.py"
        spec = importlib.util.spec_from_file_location("reference", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        set_seed()
        init = module.get_init_inputs()
        with torch.no_grad():
            set_seed()
            model = module.Model(*init)
            set_seed()
            module.Model(*init)  # in the place of ModelNew
            if hasattr(module, "get_input_groups"):
                for i, arguments in enumerate(module.get_input_groups()):
                    self.case(task_id, i, model, arguments)
            else:
                for i in range(TRIALS):
                    arguments = module.get_inputs()
                    state = torch.get_rng_state()  # the benchmark draws all of them before it runs the first
                    self.case(task_id, i, model, arguments)
                    torch.set_rng_state(state)

    def case(self, task_id, index, model, arguments):
        rows = self.stored.rows.get((task_id, index))
        if not rows:
            self.counts["cases left out"] += 1
            return
        for i, tensor in enumerate(flat(list(arguments))):
            self.compare(task_id, index, rows, (INPUT, i), tensor)
        if any(role == GOLDEN for role, _ in rows):
            for i, tensor in enumerate(flat(model(*clone(list(arguments))))):
                self.compare(task_id, index, rows, (GOLDEN, i), tensor)
            self.counts["cases with outputs"] += 1
        self.counts["cases"] += 1

    def compare(self, task_id, index, rows, key, tensor):
        what = f"{task_id}:{index} {'input' if key[0] == INPUT else 'output'} {key[1]}"
        if key not in rows:
            self.wrong.append(f"{what} is not stored")
            return
        size, digest, part, row = rows[key]
        data, expected = self.stored.data(part, row), raw(tensor)
        if size != len(expected):
            self.wrong.append(f"{what} has {size} bytes, wanted {len(expected)}")
        elif data and data != expected:
            self.wrong.append(f"{what} has other bytes")
        elif not data and size and xxhash and xxhash.xxh3_64_intdigest(expected) != digest:
            self.wrong.append(f"{what} has another hash")
        else:
            self.counts["tensors equal" if data or not size else "hashes equal" if xxhash else "sizes equal"] += 1


def judge(kgtrain, data, checkout):
    failed = 0
    for path in sorted((HERE / "answers").glob("*/*.py")):
        task = f"{path.parent.name}/{path.stem}"
        done = subprocess.run([kgtrain, "judge", "--json", "--data", data, "--task", task, "--kernel", str(path), "--checkout",
                               str(checkout)], capture_output=True, text=True)
        verdict = json.loads(done.stdout) if done.stdout.startswith("{") else {"stage": done.stderr[-500:]}
        print(f"answer {task}: {verdict['stage']}, {verdict.get('cases_passed', 0)} of {verdict.get('cases_total', 0)} cases, "
              f"{verdict.get('cycles', 0)} cycles")
        failed += verdict["stage"] != "correct"
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kgtrain")
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--data")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", default="2")
    parser.add_argument("--largest", default="600")
    parser.add_argument("--no-answers", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    with tempfile.TemporaryDirectory() as folder:
        data = options.data or f"{folder}/multikernelbench.h5"
        done = subprocess.run([options.kgtrain, "tasks", "import", "multikernelbench", str(options.checkout), "--out", data, "--seconds",
                               options.seconds, "--largest", options.largest] + (["--only", options.only] if options.only else []))
        if done.returncode != 0:
            return done.returncode
        stored = Stored(data)
        parts = [part for part in options.only.split(",") if part]
        comparison = Comparison(options.checkout, stored)
        for task in sorted({task for task, _ in stored.rows if not parts or any(part in task for part in parts)}):
            before = len(comparison.wrong)
            comparison.task(task)
            print(f"{task}: {'differs' if len(comparison.wrong) > before else 'equal'}", flush=True)
        for line in comparison.wrong:
            print("DIFFERS", line)
        print(", ".join(f"{count} {name}" for name, count in comparison.counts.items()))
        failed = 0 if options.no_answers else judge(options.kgtrain, data, options.checkout)
        return 1 if comparison.wrong or failed or not comparison.counts["cases"] else 0


if __name__ == "__main__":
    sys.exit(main())
