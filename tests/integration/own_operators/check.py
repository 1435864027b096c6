#!/usr/bin/env python3
"""Own operators from end to end, through the program.

  check.py KGTRAIN WHAT    WHAT: modules, defective, norms, scaled, translated, documented

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


# Extents of a module that is too large, and what they must be in its smaller cases: a number, or None for any smaller one.
SCALED = {
    "result_only": ("k = 32", "def outer(a, b):\n    return a @ b", "[torch.randn(40000, k), torch.randn(k, 40000)]", {"k": 32}),
    "attention": ("seq, dim = 256, 1024", "def attend(q, k, v):\n    return nn.functional.scaled_dot_product_attention(q, k, v)",
                  "[torch.randn(32, 32, seq, dim) for _ in range(3)]", {"seq": None, "dim": 1024}),
    "wide_image": ("c, size = 48, 1024", "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.conv = nn.Conv2d(c, 96, 3)\n\n"
                   "    def forward(self, x):\n        return self.conv(x)",
                   "[torch.randn(8, c, size, size)]", {"size": None}),
}


def check_scaled(kgtrain, python, folder):
    """Too large modules are judged at sizes at which their constants are what they were."""
    data, wrong = folder / "scaled.h5", 0
    for name, (sizes, text, inputs, wanted) in SCALED.items():
        file = folder / f"{name}.py"
        file.write_text(f"import torch\nfrom torch import nn\n\n{sizes}\n{text}\n\n\ndef get_inputs():\n    return {inputs}\n")
        done = add(kgtrain, python, file, data)
        found = dict(re.findall(r"(\w+)=(\d+)", done.stderr + done.stdout))
        whole = dict(zip(*[re.split(r"[,\s]+", part.strip()) for part in sizes.split("=")]))
        for extent, number in wanted.items():
            is_right = int(found.get(extent, whole[extent])) == number if number else int(found.get(extent, whole[extent])) < int(whole[extent])
            if done.returncode != 0 or not is_right:
                wrong += 1
                print(f"{name}: {extent} was to be {number or 'smaller'}:\n{done.stdout}{done.stderr}")
    print(f"{len(SCALED)} modules that are too large")
    return wrong


def check_translated(kgtrain, python, folder):
    """Modules whose programs need no model: what `kgtrain solve --model none` writes is judged right."""
    files, wrong = sorted((HERE / "translated").glob("*.py")), 0
    for file in files:
        done = subprocess.run([kgtrain, "solve", str(file), "--model", "none", "--tune", "0", "--python", python,
                               "--out", str(folder / file.stem)], capture_output=True, text=True)
        if done.returncode != 0:
            wrong += 1
            print(f"{file.name}:\n{done.stdout}{done.stderr}")
    print(f"{len(files) - wrong} of {len(files)} modules translated and judged right")
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
                 "scaled": check_scaled, "translated": check_translated, "documented": check_documented}[what]
        return 1 if check(kgtrain, sys.executable, pathlib.Path(folder)) else 0


if __name__ == "__main__":
    sys.exit(main())
