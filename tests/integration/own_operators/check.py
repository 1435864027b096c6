#!/usr/bin/env python3
"""Own operators from end to end, through the program.

  check.py KGTRAIN WHAT    WHAT: modules, defective, norms, documented

Runs with a Python that has PyTorch and h5py. Exit status 1 if something is not as it should be.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import norms

HERE = pathlib.Path(__file__).resolve().parent


def add(kgtrain, python, file, data, *options):
    return subprocess.run([kgtrain, "tasks", "add", str(file), "--data", str(data), "--python", python, *options],
                          capture_output=True, text=True)


def check_modules(kgtrain, python, folder):
    wrong, data = 0, folder / "modules.h5"
    files = sorted((HERE / "modules").glob("*.py"))
    for file in files:
        done = add(kgtrain, python, file, data)
        if done.returncode != 0:
            wrong += 1
            print(f"{file.name} is refused:\n{done.stderr}")
    print(f"{len(files) - wrong} of {len(files)} modules taken")
    compared = subprocess.run([python, str(HERE / "compare_golden.py"), str(data), str(HERE / "modules")])
    return wrong + compared.returncode


def check_defective(kgtrain, python, folder):
    wrong = 0
    files = sorted((HERE / "defective").glob("*.py"))
    for file in files:
        line, reason = re.match(r"# refused at line (\d+): (.*)", file.read_text()).groups()
        done = add(kgtrain, python, file, folder / "defective.h5")
        place = str(file) + (f":{line}\n" if line != "0" else "\n")
        if done.returncode != 2 or reason not in done.stderr or place not in done.stderr or "try:" not in done.stderr:
            wrong += 1
            print(f"{file.name}: wanted \"{reason}\" at line {line}, status {done.returncode}:\n{done.stderr}")
    print(f"{len(files) - wrong} of {len(files)} defective files refused with line and reason")
    return wrong


def check_norms(kgtrain, python, folder):
    data, items, wrong = folder / "norms.h5", [], 0
    for name, (text, _) in norms.NORMS.items():
        file = folder / f"{name}.py"
        file.write_text(text)
        done = add(kgtrain, python, file, data)
        if done.returncode != 0:
            print(done.stderr)
            return 1
        items += [(name, what, program) for what, program in norms.programs(name).items()]
    batch = folder / "batch.jsonl"
    batch.write_text("".join(json.dumps({"task": f"own/{name}", "kernel": program}) + "\n" for name, _, program in items))
    done = subprocess.run([kgtrain, "judge", "--data", str(data), "--batch", str(batch), "--language", "dsl"],
                          capture_output=True, text=True)
    correct = 0
    for (name, what, _), line in zip(items, done.stdout.splitlines(), strict=True):
        verdict = json.loads(line)
        correct += verdict["correct"]
        # A shortcut that does not even compile has shown nothing.
        if verdict["correct"] != (what == "right") or not verdict["ran"]:
            wrong += 1
            print(f"{name}, {what}: stage {verdict['stage']}", verdict["faults"][:1], verdict["compiler_output"][:300])
    print(f"{len(norms.NORMS)} norms, {len(items)} programs, {correct} correct, {wrong} verdicts not as they should be")
    return wrong


def check_documented(kgtrain, python, folder):
    """What README.md and docs/start show of `kgtrain judge --module` is what it prints."""
    root = HERE.parent.parent.parent
    asked = "judge --module examples/softmax.py --kernel examples/softmax.dsl"
    done = subprocess.run([kgtrain, *asked.split(), "--python", python], capture_output=True, text=True, cwd=root)
    printed, wrong = done.stdout.splitlines(), 0
    for page in ("README.md", "docs/start/README.md"):
        behind = (root / page).read_text().split("kgtrain " + asked, 1)[1]
        shown = behind[behind.index("task  "):].split("```", 1)[0].splitlines()
        for line in shown:
            if line not in printed and line != "...":
                wrong += 1
                print(f"{page} shows a line that is not printed: {line}")
        print(f"{page}: {len(shown)} lines")
    return wrong


def main():
    kgtrain, what = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check = {"modules": check_modules, "defective": check_defective, "norms": check_norms,
                 "documented": check_documented}[what]
        return 1 if check(kgtrain, sys.executable, pathlib.Path(folder)) else 0


if __name__ == "__main__":
    sys.exit(main())
