"""Answers requests about a checkout of NPUKernelBench; started by `kgtrain tasks import` and `kgtrain judge`.

    worker.py DIR BUILD_FOLDER COMPILER HELPER

HELPER is the folder of pytorch_npu_helper.hpp. Requests and answers: ../serving.py. What is executed is the
benchmark's own Python and C++.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import serving
from serving import load, say, send

serving.take_pipes()

import checkout
import short_prompt
import vendor


class Worker:
    def __init__(self, root, build_folder, compiler, helper):
        self.root = root
        self.tasks = {task_id: checkout.Task(root, task_id) for task_id in checkout.task_ids(root)}
        self.bindings = vendor.Bindings(build_folder, compiler, helper)
        self.prompts = checkout.Prompts(root)
        self._built = False
        self._loaded = None

    def do_tasks(self):
        return {"tasks": list(self.tasks), "commit": serving.commit(self.root),
                "content": serving.content(self.root, ["tasks", "framework", "kernel_generator"])}

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
        task = self.tasks[task]
        case, rows = self._case(task, row, most_bytes)
        return self._send(task, row, case, rows, keep_bytes, expected, prompts)

    def do_other(self, task, row, seed, wide):
        """The case on inputs drawn from another seed; `wide`: changed further. What the kernel was told stays."""
        import other_numbers

        task = self.tasks[task]
        case, rows = self._case(task, row, 0, seed)
        if task.definition.attributes:
            case.keep_attributes(self._case(task, row, 0)[0])
        if wide:
            other_numbers.widen([list(case.init), list(case.arguments)], seed)
        return self._send(task, row, case, rows, 0, True, False)

    def _send(self, task, row, case, rows, keep_bytes, expected, prompts):
        import tensors

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
            answer["essence"] = short_prompt.of_description(case.inputs, case.outputs, task.definition.block_dim, case.attributes, task.description())
            answer["prompt_kernel_only"] = self.prompts.make(task, case_id, True)
            answer["prompt_full"] = self.prompts.make(task, case_id, False)
        return answer

    def _case(self, task, row, most_bytes, seed=None):
        import torch

        import case as cases
        import tensors
        from framework.utils import check_precision

        if not self._built:
            torch.set_num_threads(serving.THREADS)
            self.bindings.build(list(self.tasks.values()), say)
            self._built = True
        if task.id in self.bindings.failed:
            output = self.bindings.failed[task.id].split("\n")[0]
            raise serving.Unreadable("its pybind.cpp does not compile: " + output)
        if self._loaded is None or self._loaded[0] != task.id:
            self.bindings.module(task)
            validation = task.folder / "validation"
            module = load("model_module", validation / "module.py")
            prepare = module if hasattr(module, "get_init_inputs") else load("prepare_inputs_module",
                                                                             validation / "prepare_inputs.py")
            self._loaded = (task.id, module, prepare, task.rows())
        _, module, prepare, rows = self._loaded
        tensors.refuse_larger(most_bytes, cases.size_without_drawing(prepare, rows.iloc[row]))
        case = cases.Case(task, rows.iloc[row], row, module, prepare, check_precision, seed)
        tensors.refuse_larger(most_bytes, case.bytes())
        return case, rows


def main():
    root = sys.argv[1]
    arguments = sys.argv[1:5]

    def make():
        vendor.install(root)
        return Worker(*arguments)

    serving.serve("NPUKernelBench", lambda: checkout.check(root), make, bound=True)


if __name__ == "__main__":
    main()
