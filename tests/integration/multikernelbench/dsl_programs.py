#!/usr/bin/env python3
"""Judges our programs in the DSL (../dsl_programs) on the tasks of MultiKernelBench as they are imported: scaled so that what
overflows UB still does, wrapped into the benchmark's own form of answer, and lowered at the full sizes.

usage: dsl_programs.py KGTRAIN CHECKOUT [--data FILE] [--scale MB] [--only PARTS] [--jobs N]

Exit status 1 if a task is not taken, or a program is not correct.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "dsl_programs"
OTHERS = {"by_hand", "mhc"}  # no tasks of the benchmark


def programs(only):
    found = {}
    for path in sorted(PROGRAMS.glob("*/*.dsl")):
        task = f"{path.parent.name}/{path.stem}"
        if path.parent.name not in OTHERS and (not only or any(part in task for part in only.split(","))):
            found[task] = path.read_text()
    return found


def report(task, verdict):
    strict = verdict["strict"]["cases_passed"] if verdict.get("strict") else 0
    print(f"{task:45} {verdict['stage']:9} cases {verdict['cases_passed']} of {verdict['cases_total']}, strict {strict}, "
          f"speed-up {verdict['speedup']:.2f}", flush=True)
    if not verdict["correct"]:
        print("   ", verdict["sandbox_error"] or [fault["message"] for fault in verdict["faults"]][:2] or
              verdict["compiler_output"][:600], flush=True)
    return verdict["correct"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgtrain")
    parser.add_argument("checkout")
    parser.add_argument("--data")
    parser.add_argument("--scale", default="8")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", default="2")
    asked = parser.parse_args()
    wanted = programs(asked.only)
    with tempfile.TemporaryDirectory() as folder:
        data = asked.data or f"{folder}/tasks.h5"
        subprocess.run([asked.kgtrain, "tasks", "import", "multikernelbench", asked.checkout, "--out", data, "--scale", asked.scale,
                        "--only", ",".join(wanted), "--keep", "16384", "--seconds", "30"], check=True)
        batch = pathlib.Path(folder) / "programs.jsonl"
        batch.write_text("".join(json.dumps({"task": task, "kernel": text}) + "\n" for task, text in wanted.items()))
        judge = subprocess.Popen([asked.kgtrain, "judge", "--data", data, "--batch", str(batch), "--language", "dsl", "--jobs",
                                  asked.jobs], stdout=subprocess.PIPE, text=True)
        correct = sum(report(task, json.loads(line)) for task, line in zip(wanted, judge.stdout, strict=True))
        if judge.wait() not in (0, 1):
            raise SystemExit(f"kgtrain judge ended with status {judge.returncode}")
    print(f"{correct} of {len(wanted)} correct")
    return 0 if correct == len(wanted) else 1


if __name__ == "__main__":
    sys.exit(main())
