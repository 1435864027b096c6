#!/usr/bin/env python3
"""Judges our kernels and projects on NPUKernelBench's own case rows, as `kgtrain tasks import` reads them, and prints a table.

usage: judge_rows.py KGTRAIN CHECKOUT [--data FILE] [--mode kernel|project|dsl] [--most MB] [--rows N,M] [--jobs N] [TASK ...]

KGTRAIN is the program, CHECKOUT the benchmark's folder. The tasks are imported into FILE (default: a temporary one), which goes
on where an earlier import stopped. Rows with more than --most megabytes of inputs are left out, and said to be. Exit status 1 if
a row fails, or none passes. Needs nothing but Python; the import finds its own (KGTRAIN_PYTHON).
"""

import argparse
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from row_constants import constants, in_dsl

HERE = pathlib.Path(__file__).resolve().parent
PASSED, FAILED, LEFT_OUT, UNWRITTEN, UNPASSABLE = "passed", "failed", "left out", "not written", "cannot pass"


def own_tasks(named):
    found = sorted({"/".join(path.relative_to(HERE).parts[:3]) for path in HERE.glob("level*/*/*/*")})
    return [task for task in found if not named or any(part in task for part in named)]


def modes_of(task, wanted):
    there = {"kernel": "kernel.cpp", "project": "op_host", "dsl": "kernel.dsl"}
    asked = {wanted} if wanted else {"kernel", "project"}
    return [mode for mode, name in there.items() if mode in asked and (HERE / task / name).exists()]


def rows_of(checkout, task):
    with open(checkout / "tasks" / task / "validation/test_cases.csv", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def unpassable():
    """Rows that no kernel can pass, with the reason; they are judged all the same."""
    with open(HERE / "unpassable.csv", newline="") as file:
        return {(row["task"], row["mode"], int(number)): row["why"] for row in csv.DictReader(file, delimiter=";")
                for number in row["rows"].split(",")}


class Kgtrain:
    def __init__(self, program, data):
        self.program, self.data = program, data

    def import_tasks(self, checkout, tasks, most):
        done = subprocess.run([self.program, "tasks", "import", "npukernelbench", checkout, "--out", self.data, "--only",
                               ",".join(tasks), "--largest", str(most)])
        if done.returncode != 0:
            raise SystemExit(done.returncode)

    def task(self, task):
        done = subprocess.run([self.program, "tasks", "show", task, "--data", self.data, "--json"], capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else None  # none of its rows could be imported

    def judge(self, items, jobs, language):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as batch:
            batch.write("".join(json.dumps(item) + "\n" for item in items))
            batch.flush()
            process = subprocess.Popen([self.program, "judge", "--data", self.data, "--batch", batch.name, "--jobs", str(jobs),
                                        "--language", language, "--allow-less-isolation"], stdout=subprocess.PIPE, text=True)
            for item, line in zip(items, process.stdout):
                yield item, json.loads(line)
            process.wait()


def result_of(verdict, source):
    """What became of a row, and why."""
    if verdict["sandbox_error"]:
        return FAILED, "sandbox: " + verdict["sandbox_error"]
    if verdict["correct"]:
        return PASSED, ""
    output = verdict["compiler_output"].strip()
    if verdict["stage"] == "rejected":
        return FAILED, "rejected: " + output.split("\n")[0]
    if verdict["stage"] == "compile":
        refused = any(text in output for text in re.findall(r'static_assert\([^;]*"([^"]+)"\);', source))
        return (UNWRITTEN if refused else FAILED), "compile: " + output.split("\n")[0]
    errors = [f"{fault['class']} line {fault['line']}: {fault['message']}" for fault in verdict["faults"]
              if fault["severity"] == "error"]
    return FAILED, f"{verdict['stage']}: " + (errors[0] if errors else f"off by up to {verdict['max_abs_error']}")


def items_of(kgtrain, checkout, tasks, options, note):
    """What to judge; rows that the import left out are noted at once."""
    for task in tasks:
        imported, rows = kgtrain.task(task), rows_of(checkout, task)
        for mode in modes_of(task, options.mode):
            for index, row in enumerate(rows):
                if options.rows and index not in options.rows:
                    continue
                case = imported["cases"][index] if imported else {}
                if not case.get("checked"):
                    note(task, mode, index, LEFT_OUT, (case.get("notes") or ["the import took none of the task's rows"])[0])
                elif mode == "dsl":
                    program = in_dsl((HERE / task / "kernel.dsl").read_text(), row, case)
                    yield {"task": task, "mode": mode, "case": index, "kernel": program}
                elif mode == "project":
                    yield {"task": task, "mode": mode, "case": index, "project": str(HERE / task)}
                else:
                    kernel = constants(index, row, case) + (HERE / task / "kernel.cpp").read_text()
                    yield {"task": task, "mode": mode, "case": index, "kernel": kernel}


def print_table(results):
    """`results`: (task, mode, row) to what became of it."""
    for mode, title in (("kernel", "kernel-only mode"), ("project", "full projects"), ("dsl", "programs in the DSL")):
        groups = collections.defaultdict(lambda: collections.defaultdict(list))
        for (task, its_mode, _), what in results.items():
            if its_mode == mode:
                level, category, _ = task.split("/")
                for key in ((level, category), (level, "all"), ("all", "")):
                    groups[key][task].append(what)
        if not groups:
            continue
        print(f"\n{title:24} tasks  right   rows passed failed  cannot left out  unwritten")
        for key in sorted(groups):
            rows = collections.Counter(what for task in groups[key].values() for what in task)
            right = sum(FAILED not in task and PASSED in task for task in groups[key].values())
            print(f"{' '.join(key):24} {len(groups[key]):5} {right:6} {sum(rows.values()):6} {rows[PASSED]:6} {rows[FAILED]:6} {rows[UNPASSABLE]:7}"
                  f" {rows[LEFT_OUT]:8} {rows[UNWRITTEN]:10}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("kgtrain", type=pathlib.Path)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--data")
    parser.add_argument("--mode", choices=("kernel", "project", "dsl"))
    parser.add_argument("--most", type=int, default=128)
    parser.add_argument("--rows", type=lambda text: {int(n) for n in text.split(",")}, default=set())
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_intermixed_args()
    tasks = own_tasks(options.tasks)
    results, cannot = {}, unpassable()

    def note(task, mode, row, what, why):
        if what == FAILED and (task, mode, row) in cannot:
            what, why = UNPASSABLE, cannot[task, mode, row]
        results[task, mode, row] = what
        if what != PASSED:
            print(f"{task} {mode} row {row}: {what}: {why}", flush=True)

    with tempfile.TemporaryDirectory(prefix="kg-npukernelbench-") as folder:
        kgtrain = Kgtrain(options.kgtrain, options.data or folder + "/rows.h5")
        kgtrain.import_tasks(options.checkout, tasks, options.most)
        items = list(items_of(kgtrain, options.checkout, tasks, options, note))
        for language in ("ascendc", "dsl"):
            spoken = [item for item in items if (item["mode"] == "dsl") == (language == "dsl")]
            asked = [{key: value for key, value in item.items() if key != "mode"} for item in spoken]
            for item, (_, verdict) in zip(spoken, kgtrain.judge(asked, options.jobs, language) if asked else []):
                note(item["task"], item["mode"], item["case"], *result_of(verdict, item.get("kernel", "")))
        unjudged = [item for item in items if (item["task"], item["mode"], item["case"]) not in results]
        for item in unjudged:
            note(item["task"], item["mode"], item["case"], FAILED, "kgtrain judge ended before it")
    print_table(results)
    found = set(results.values())
    sys.exit(1 if FAILED in found or PASSED not in found else 0)


if __name__ == "__main__":
    main()
