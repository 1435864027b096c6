"""Our own answers: DSL programs, kernels and projects for NPUKernelBench, PyTorch modules for MultiKernelBench."""

import csv
import json
import math
import sys

import dsl_tasks
import mutations
import spoiled

KEPT_KILOBYTES = 4096  # of a case's inputs: no larger case is judged
MOST_CASES = 2         # of a kernel for NPUKernelBench, the smallest ones
SIZES = {"FLOAT64": 8, "INT64": 8, "UINT64": 8, "COMPLEX64": 8, "FLOAT16": 2, "BFLOAT16": 2, "INT16": 2, "UINT16": 2,
         "INT8": 1, "UINT8": 1, "BOOL": 1}


def folder_named(root, name):
    """The folder of that name below tests/, wherever it is."""
    found = [path for path in sorted((root / "tests").rglob(name)) if path.is_dir()]
    if len(found) != 1:
        raise SystemExit(f"{len(found)} folders are called {name} below {root / 'tests'}")
    return found[0]


def dsl_programs(root, corpus):
    """Adds them and returns their tasks and tensors."""
    tasks, tensors, rights = [], [], {}
    for path in sorted(folder_named(root, "dsl_programs").glob("*/*.dsl")):
        found = dsl_tasks.task_of(path.stem)
        if found is None:
            print(f"left out: {path.name}, which dsl_tasks.py does not know", file=sys.stderr)
            continue
        tasks.append(found[0])
        tensors += found[1]
        name = f"program/{path.parent.name}/{path.stem}"
        rights[name] = found[0]["id"], path.read_text(), None
        corpus.add(name, "dsl", "right", "own.h5", found[0]["id"], kernel=rights[name][1])
    spoiled.add_texts(corpus, "dsl", "own.h5", mutations.DSL, rights)
    return tasks, tensors


def import_npukernelbench(run, folder, root, checkout):
    answers = folder_named(root, "npukernelbench")
    tasks = sorted({"/".join(path.relative_to(answers).parts[:3]) for path in answers.glob("level*/*/*/*")})
    run("tasks", "import", "npukernelbench", checkout, "--only", ",".join(tasks), "--keep", KEPT_KILOBYTES,
        "--largest", KEPT_KILOBYTES // 1024, "--out", folder / "npukernelbench.h5")


def bytes_of(case):
    return sum(math.prod(map(int, spec.get("shape", []))) * SIZES.get(spec["dtype"], 4)
               for spec in case.get("inputs", []) + case.get("outputs", []) if not spec.get("absent"))


def npukernelbench(run, corpus, root, checkout):
    answers, data = folder_named(root, "npukernelbench"), "npukernelbench.h5"
    sys.path.insert(0, str(answers))
    from row_constants import constants
    rights = {}
    for task in run("tasks", "list", "--data", corpus.folder / data).split():
        cases = json.loads(run("tasks", "show", task, "--data", corpus.folder / data, "--json"))["cases"]
        judged = [i for i, case in enumerate(cases) if case.get("checked")]
        judged = sorted(sorted(judged, key=lambda i: (bytes_of(cases[i]), i))[:MOST_CASES])
        with open(checkout / "tasks" / task / "validation/test_cases.csv", newline="") as file:
            rows = list(csv.DictReader(file, delimiter=";"))
        for case in judged:
            kernel = answers / task / "kernel.cpp"
            if kernel.exists():
                text = constants(case, rows[case], cases[case]) + kernel.read_text()
                corpus.add(f"benchmark/{task}/{case}", "ascendc", "right", data, task, kernel=text, case=case)
            files = {str(path.relative_to(answers / task)): path.read_text()
                     for path in sorted((answers / task).rglob("*")) if path.is_file() and path != kernel}
            if files and case == judged[0]:
                corpus.add(f"benchmark/{task}/{case}/project", "project", "right", data, task, project=files, case=case)
                rights[f"benchmark/{task}/project"] = task, files, case
    spoiled.add_projects(corpus, data, mutations.PROJECT, rights)


def import_modules(run, folder, root, checkout):
    run("tasks", "import", "multikernelbench", folder_named(root, "multikernelbench_fake"), "--keep", 64,
        "--out", folder / "modules.h5")
    if checkout:
        answers = folder_named(root, "multikernelbench") / "answers"
        tasks = [str(path.relative_to(answers).with_suffix("")) for path in sorted(answers.glob("*/*.py"))]
        run("tasks", "import", "multikernelbench", checkout, "--only", ",".join(tasks), "--keep", 1 << 18,
            "--largest", 200, "--out", folder / "multikernelbench.h5")


def modules(root, corpus, checkout):
    """Modules are judged on their first trial: each starts a Python of its own."""
    groups = {"modules.h5": {path.parent.relative_to(answers): path for answers in
                             [folder_named(root, "multikernelbench_fake") / "answers"]
                             for path in sorted(answers.glob("*/*/right.py"))}}
    if checkout:
        answers = folder_named(root, "multikernelbench") / "answers"
        groups["multikernelbench.h5"] = {path.relative_to(answers).with_suffix(""): path
                                         for path in sorted(answers.glob("*/*.py"))}
    for data, found in groups.items():
        rights = {f"module/{task}": (str(task), path.read_text(), 0) for task, path in found.items()}
        for name, (task, text, case) in rights.items():
            corpus.add(name, "module", "right", data, task, kernel=text, case=case)
        spoiled.add_texts(corpus, "module", data, mutations.MODULE, rights, most=2)
