"""Answers requests about a checkout of NPUKernelBench; started by `kgtrain tasks import` and `kgtrain judge`.

    worker.py DIR BUILD_FOLDER COMPILER

A request is a JSON object on a line of standard input. Answers are frames on standard output: uint32 length of a JSON
object (little-endian), uint32 0, the object, then as many raw bytes as its "bytes" says. The last frame of an answer
has "done" or "error". The executed code is the benchmark's own Python and C++: it can do what its user can do.
"""

import importlib.util
import json
import os
import pathlib
import struct
import subprocess
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
ANSWERS = os.fdopen(os.dup(1), "wb", buffering=0)
os.dup2(2, 1)  # what the benchmark prints is no answer

import checkout
import vendor

THREADS = 2  # of PyTorch: the order of sums follows from it, so it is the same on every host


def send(header, data=b""):
    header["bytes"] = len(data)
    text = json.dumps(header).encode()
    write(struct.pack("<II", len(text), 0) + text)
    write(data)


def write(data):
    view = memoryview(data)
    while len(view):
        view = view[ANSWERS.write(view):]


def say(text):
    print(text, file=sys.stderr, flush=True)


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Worker:
    def __init__(self, root, build_folder, compiler):
        self.root = root
        self.tasks = {task_id: checkout.Task(root, task_id) for task_id in checkout.task_ids(root)}
        self.bindings = vendor.Bindings(build_folder, compiler)
        self.prompts = checkout.Prompts(root)
        self._built = False
        self._loaded = None

    def answer(self, request):
        return getattr(self, "do_" + request.pop("do"))(**request)

    def do_tasks(self):
        return {"tasks": list(self.tasks), "commit": self._commit(), "content": self._content()}

    def do_task(self, task):
        task = self.tasks[task]
        definition = task.definition
        rows = task.rows()
        return {
            "level": task.level, "weight": checkout.LEVEL_WEIGHTS.get(task.level, 0), "category": task.category,
            "op_name": task.op_name, "entry_point": definition.entry_point, "block_dim": definition.block_dim,
            "rows": len(rows),
            "prompt_dynamic_kernel_only": self.prompts.make(task, None, True),
            "prompt_dynamic_full": self.prompts.make(task, None, False),
        }

    def do_case(self, task, row, keep_bytes, most_bytes=0, expected=True, prompts=True):
        """Tensors of cases with inputs beyond keep_bytes (0: no bound) are sent to be hashed: no fp64 outputs, and without
        `expected` only the types and shapes of the outputs. A case with inputs beyond most_bytes (0: no bound) is not made."""
        import case as cases
        import tensors

        task = self.tasks[task]
        case, rows = self._case(task, row, most_bytes)
        spare = bool(keep_bytes) and case.bytes() > keep_bytes
        case.capture(spare)
        for i, tensor in enumerate(case.input_tensors):
            if tensor is not None:
                send({"role": "input", "index": i, "dtype": case.inputs[i]["dtype"], "shape": list(tensor.shape)},
                     tensors.raw(tensor))
        case.input_tensors = case.output_tensors = None
        case._places = {}
        golden64_failed = None
        if not spare:
            try:
                wide = case.golden64()
            except Exception as error:
                golden64_failed, wide = str(error).split("\n")[0][:200], []
            for i, tensor in enumerate(wide):
                shape = list(tensor.shape) + ([2] if tensor.is_complex() else [])
                send({"role": "golden64", "index": i, "dtype": "float64", "shape": shape}, tensors.raw(tensor))
            del wide
        form = case.golden_form() if spare and not expected else None
        golden = case.golden(spare) if form is None else form
        for i, tensor in enumerate(golden):
            if form is None:
                send({"role": "golden", "index": i, "dtype": tensors.type_name(tensor), "shape": list(tensor.shape)},
                     tensors.raw(tensor))
            case.checked[i]["golden"] = {"dtype": tensors.type_name(tensor), "shape": list(tensor.shape)}
        case.checked = case.checked[:len(golden)]
        if golden64_failed:
            case.notes.append("no fp64 outputs: " + golden64_failed)
        case_id = int(rows.iloc[row]["case_id"]) if "case_id" in rows.columns else row
        answer = {"label": str(case_id), "seed": case.seed, "inputs": case.inputs, "outputs": case.outputs,
                  "attributes": case.attributes, "checked": case.checked, "check": case.check, "notes": case.notes}
        if prompts:
            answer["prompt_kernel_only"] = self.prompts.make(task, case_id, True)
            answer["prompt_full"] = self.prompts.make(task, case_id, False)
        return answer

    def _case(self, task, row, most_bytes):
        import torch

        import case as cases
        from framework.utils import check_precision

        if not self._built:
            torch.set_num_threads(THREADS)
            self.bindings.build(list(self.tasks.values()), say)
            self._built = True
        if task.id in self.bindings.failed:
            output = self.bindings.failed[task.id].split("\n")[0]
            raise checkout.Unreadable("its pybind.cpp does not compile: " + output)
        if self._loaded is None or self._loaded[0] != task.id:
            self.bindings.module(task)
            validation = task.folder / "validation"
            module = load("model_module", validation / "module.py")
            prepare = module if hasattr(module, "get_init_inputs") else load("prepare_inputs_module",
                                                                             validation / "prepare_inputs.py")
            self._loaded = (task.id, module, prepare, task.rows())
        _, module, prepare, rows = self._loaded
        cases.refuse_larger(most_bytes, cases.size_without_drawing(prepare, rows.iloc[row]))
        case = cases.Case(task, rows.iloc[row], row, module, prepare, check_precision)
        cases.refuse_larger(most_bytes, case.bytes())
        return case, rows

    def _commit(self):
        done = subprocess.run(["git", "-C", self.root, "rev-parse", "HEAD"], capture_output=True, text=True)
        inside = subprocess.run(["git", "-C", self.root, "rev-parse", "--show-prefix"], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 and not inside.stdout.strip() else ""

    def _content(self):
        """SHA-256 over the names and bytes of all that is read, so that a checkout without .git is told as well."""
        import hashlib

        digest = hashlib.sha256()
        root = pathlib.Path(self.root)
        for folder in ("tasks", "framework", "kernel_generator"):
            for where, folders, files in os.walk(root / folder):
                folders[:] = sorted(name for name in folders if name not in ("answer", "__pycache__"))
                for name in sorted(files):
                    path = pathlib.Path(where) / name
                    digest.update(str(path.relative_to(root)).encode() + b"\0")
                    digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()


def main():
    root, build_folder, compiler = sys.argv[1:4]
    try:
        checkout.check(root)
    except checkout.NotACheckout as error:
        send({"error": f"not a checkout of NPUKernelBench: {error}", "fatal": True})
        return
    vendor.install(root)
    worker = Worker(root, build_folder, compiler)
    for line in sys.stdin:
        started = time.monotonic()
        try:
            answer = worker.answer(json.loads(line))
            send({**answer, "done": True, "seconds": time.monotonic() - started})
        except checkout.Unreadable as error:
            send({"error": str(error)})
        except Exception as error:
            say(traceback.format_exc())
            send({"error": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]})


if __name__ == "__main__":
    main()
