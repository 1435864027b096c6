"""Reads a checkout of NPUKernelBench: its tasks, case rows, operator definitions, kernel signatures and prompts.

The folders `answer/` are never read.
"""

import contextlib
import os
import pathlib
import re
import sys

from serving import NotACheckout, Unreadable

LEVEL_WEIGHTS = {1: 0.2, 2: 0.3, 3: 0.5}  # docs/BENCHMARK_EVALUATION.md, "Aggregate Scores"
CUBE_CORES, VECTOR_CORES = 24, 48  # [SoCInfo] of hardware.txt in the benchmark's prompts


def check(root):
    """Raises NotACheckout unless `root` is a checkout."""
    root = pathlib.Path(root)
    if not root.is_dir():
        raise NotACheckout(f"{root} is not a folder")
    for part in ("tasks", "framework/utils.py", "framework/task_object.py", "base_config.yaml",
                 "kernel_generator/generate_codes_with_sft.py"):
        if not (root / part).exists():
            raise NotACheckout(f"{root} has no {part}")


def task_ids(root):
    """Ids such as level1/Comparison/Less, in order."""
    tasks = pathlib.Path(root) / "tasks"
    found = []
    for level in sorted(tasks.glob("level*")):
        for category in sorted(p for p in level.iterdir() if p.is_dir()):
            for task in sorted(p for p in category.iterdir() if p.is_dir()):
                if (task / "validation" / "test_cases.csv").exists():
                    found.append(f"{level.name}/{category.name}/{task.name}")
    return found


def snake_case(name):
    """The kernel's name, made like TaskObject's."""
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()


class Task:
    def __init__(self, root, task_id):
        self.id = task_id
        self.folder = pathlib.Path(root) / "tasks" / task_id
        level, self.category, name = task_id.split("/")
        self.level = int(re.sub(r"\D", "", level) or 0)
        self.op_name = name.split("_")[0]
        self.kernel_name = snake_case(self.op_name)
        self._definition = None

    @property
    def definition(self):
        if self._definition is None:
            self._definition = OperatorDefinition(self)
        return self._definition

    def description(self):
        path = self.folder / "api_desc.md"
        return path.read_text() if path.exists() else f"# {self.op_name}"

    def rows(self):
        import pandas
        from framework.utils import preprocess_dataframe

        return preprocess_dataframe(pandas.read_csv(self.folder / "validation" / "test_cases.csv", sep=";"))


class OperatorDefinition:
    """The content of question/op_host and question/op_kernel: inputs, outputs, attributes, parameters, cores."""

    def __init__(self, task):
        host = (task.folder / "question" / "op_host" / f"{task.kernel_name}.cpp").read_text()
        kernel = (task.folder / "question" / "op_kernel" / f"{task.kernel_name}.cpp").read_text()
        host = re.sub(r"//[^\n]*", "", host)
        signature = re.search(r"__global__\s+__aicore__\s+void\s+(\w+)\s*\(([^)]*)\)", kernel)
        if not signature:
            raise Unreadable("question/op_kernel holds no __global__ __aicore__ function")
        self.entry_point = signature.group(1)
        parameters = [p.split()[-1].lstrip("*&") for p in signature.group(2).split(",") if p.strip()]
        # The last two are workspace and tiling, whatever their names.
        self.parameters = parameters[:-2]
        self.inputs, self.outputs, self.attributes = [], [], []
        for kind, name, rest in re.findall(r'(?:this->)?\b(Input|Output|Attr)\("(\w+)"\)((?:[^;])*);', host):
            if kind == "Attr":
                made = re.search(r"\.(Int|Float|Bool|String|ListInt|ListFloat|ListBool|ListString)\(", rest)
                self.attributes.append({"name": name, "type": made.group(1) if made else "Int"})
                continue
            param = re.search(r"ParamType\((\w+)\)", rest)
            types = re.search(r"\.DataType\(\{([^}]*)\}\)", rest)
            same = re.search(r"\.DataTypeList\(\{([^}]*)\}\)", rest)
            entry = {
                "name": name,
                "kind": param.group(1) if param else "REQUIRED",
                "scalar": bool(re.search(r"\.Scalar(List)?\(", rest)),
                "types": re.findall(r"DT_(\w+)", (types or same).group(1)) if types or same else [],
            }
            (self.inputs if kind == "Input" else self.outputs).append(entry)
        self.block_dim = self._block_dim(host)

    @staticmethod
    def _block_dim(host):
        if re.search(r"GetCoreNumAic\(\)", host) and not re.search(r"GetCoreNumAiv\(\)", host):
            return CUBE_CORES
        return VECTOR_CORES

    def position(self, name, outputs=False):
        for i, entry in enumerate(self.outputs if outputs else self.inputs):
            if entry["name"] == name:
                return i
        return None


class Prompts:
    """The benchmark's own prompt generator, without its language model."""

    def __init__(self, root):
        self.root = str(root)

    def make(self, task, case_id, kernel_only):
        """The user prompt; case_id None: dynamic shapes."""
        from framework.kernel_gen_config import config
        from framework.task_object import TaskObject
        from kernel_generator.generate_codes_with_sft import AscendCodeGenWithSft

        config.static_shape_mode = case_id is not None
        config.kernel_only_mode = kernel_only
        config.chat.active = True
        with contextlib.redirect_stdout(sys.stderr if os.environ.get("KG_VERBOSE") else open(os.devnull, "w")):
            generator = AscendCodeGenWithSft(TaskObject(str(task.folder), 0, case_id, None))
            generator.build_code_generation_prompts()
        return generator.gen_codes_user_prompt
