#!/usr/bin/env python3
"""Checks the arrows between folders (docs/architecture.md): a folder includes only folders further along an arrow, only policy
and trainer include or link LibTorch, and each folder has its README. Prints every violation; exit status 1 if there is one."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Direct arrows; what a folder may include is everything reachable from it.
ARROWS = {
    "cli": ["trainer"],
    "trainer": ["rollout", "policy"],
    "rollout": ["dataset"],
    "dataset": ["reward"],
    "reward": ["sandbox"],
    "sandbox": ["proto"],
    "policy": ["proto"],
    "proto": ["base"],
    "base": [],
}
LIBTORCH_FOLDERS = ("policy", "trainer")
LIBTORCH_HEADERS = ("ATen/", "torch/", "c10/")
LIBTORCH_TARGETS = ("kg_libtorch", "kg_policy", "kg_trainer")


def reachable(folder):
    seen, queue = set(), list(ARROWS[folder])
    while queue:
        name = queue.pop()
        if name not in seen:
            seen.add(name)
            queue += ARROWS[name]
    return seen


def included(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if match:
            yield number, match[1]


def folder_problems(folder):
    if not (ROOT / folder / "README.md").is_file():
        yield f"{folder}/README.md is missing"
    allowed = reachable(folder) | {folder}
    for path in sorted((ROOT / folder).rglob("*")):
        relative = path.relative_to(ROOT)
        # Headers that kernels include are compiled for the emulated device, not into kgtrain.
        if path.suffix in (".h", ".cpp") and "include" not in relative.parts:
            for number, target in included(path):
                first = target.split("/")[0]
                if first in ARROWS and first not in allowed:
                    yield f"{relative}:{number}: {folder} must not include {first} ({target})"
                if target.startswith(LIBTORCH_HEADERS) and folder not in LIBTORCH_FOLDERS:
                    yield f"{relative}:{number}: only policy and trainer may include LibTorch ({target})"
        if path.name == "CMakeLists.txt" and folder not in LIBTORCH_FOLDERS:
            for word in re.findall(r"kg_\w+", path.read_text()):
                if word in LIBTORCH_TARGETS:
                    yield f"{relative}: only policy and trainer may link {word}"


def main():
    problems = [problem for folder in ARROWS for problem in folder_problems(folder)]
    print("\n".join(problems) if problems else f"{len(ARROWS)} folders keep the arrows")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
