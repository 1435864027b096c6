#!/usr/bin/env python3
"""Checks the arrows between rooms: a room includes exactly the rooms that ARROWS declares for it, no more and no fewer.
Every room has a README, and only policy and trainer know LibTorch.

  scripts/check_layers.py            prints every violation; exit status 1 if there is one
  scripts/check_layers.py --picture  prints the picture that README.md shows
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Room -> the rooms that it includes directly, in the order in which they are built. Every room may use base and proto.
# Includes of a program's main are not counted, nor is cli, which starts everything: both may include any room.
ARROWS = {
    "base": [],
    "proto": [],
    "operators": [],
    "npu": [],
    "dsl": ["operators", "npu"],
    "sandbox": ["npu", "dsl"],
    "reward": ["operators", "npu", "sandbox"],
    "dataset/store": [],
    "dataset/benchmarks": ["dataset/store", "reward"],
    "dataset/translation": [],
    "dataset/cot": ["dataset/store", "dataset/translation", "operators", "npu", "dsl", "sandbox", "reward"],
    "evaluation": ["dataset/store"],
    "rollout": ["dataset/store", "reward", "sandbox"],
    "service": [],
    "policy": [],
    "grammar": ["dsl", "policy"],
    "trainer": ["dataset/store", "evaluation", "policy", "reward", "rollout"],
}
# Inner rooms, with their own arrows. "sandbox" means the files beside its inner rooms.
INNER = {
    "base/http": [],
    "npu/headers": [],
    "npu/passes": ["npu/scalar"],
    "npu/scalar": ["npu/headers"],
    "npu/machine": ["npu/headers", "npu/scalar"],
    "npu/calls": ["npu/headers", "npu/machine"],
    "npu/host": ["npu/headers"],
    "npu/launch": ["npu/headers", "npu/scalar", "npu/machine"],
    "sandbox/cell": [],
    "sandbox/checks": [],
    "sandbox/compiler": ["sandbox/cell", "sandbox/checks"],
    "sandbox/pytorch": ["sandbox/cell", "sandbox/compiler"],
    "sandbox/programs": ["sandbox/cell", "sandbox/checks", "sandbox/compiler", "sandbox/pytorch"],
    "sandbox": ["sandbox/cell", "sandbox/compiler", "sandbox/programs"],
    "policy/text": [],
    "policy/model": [],
    "policy/files": ["policy/text", "policy/model"],
    "policy/generation": ["policy/text", "policy/model", "policy/files"],
}
SHARED = ("base", "proto")
FREE = ("cli",)
LIBTORCH_ROOMS = ("policy", "trainer")
LIBTORCH_HEADERS = ("ATen/", "torch/", "c10/")
LIBTORCH_TARGETS = ("kg_libtorch", "kg_policy", "kg_trainer")
# Limits for a room, an inner room, and all arrows. Declarations of the published API grow with it: npu/headers does not
# count in npu, and each of its sides, the kernel's and the host's, has the limit of an inner room.
MOST_LINES, MOST_INNER_LINES, MOST_ARROWS = 20000, 12000, 27
DECLARATIONS = {"npu": "npu/headers"}


def room_of(path, rooms):
    """The room in `rooms` that holds a path relative to the root, or None."""
    held = [room for room in rooms if path == room or path.startswith(room + "/")]
    return max(held, key=len) if held else None


def included(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if match:
            yield number, match[1]


def sources():
    """Every C++ file of the product."""
    for folder in sorted({room.split("/")[0] for room in ARROWS} | set(FREE)):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield path


def arrow_problems(arrows, within=False):
    """`within`: checks only arrows between rooms of the same top folder; ARROWS has those between top folders."""
    used = {room: set() for room in arrows}
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        room = room_of(name, arrows)
        if room is None or name.endswith("_main.cpp"):
            continue
        for number, target in included(path):
            other = room_of(target, arrows)
            if other is None or other == room or other in SHARED and room not in SHARED:
                continue
            if room == "proto" and other == "base" or within and other.split("/")[0] != room.split("/")[0]:
                continue
            used[room].add(other)
            if other not in arrows[room]:
                yield f"{name}:{number}: {room} must not include {other} ({target})"
    for room, others in arrows.items():
        for other in others:
            if other not in used[room]:
                yield f"scripts/check_layers.py: {room} -> {other} is declared, but nothing includes it"


def cycle_problems(arrows):
    done = set()

    def walk(room, trail):
        if room in trail:
            yield "a cycle: " + " -> ".join(trail[trail.index(room):] + [room])
        elif room not in done:
            for other in arrows[room]:
                yield from walk(other, trail + [room])
            done.add(room)

    for room in arrows:
        yield from walk(room, [])


def lines_of(room):
    return sum(len(path.read_text().splitlines()) for path in (ROOT / room).rglob("*")
               if path.suffix in (".h", ".hpp", ".cpp", ".py", ".csv", ".proto"))


def size_problems():
    arrows = sum(len(others) for others in ARROWS.values())
    if arrows > MOST_ARROWS:
        yield f"{arrows} arrows between rooms; at most {MOST_ARROWS} say something"
    for rooms, most in ((ARROWS, MOST_LINES), (INNER, MOST_INNER_LINES)):
        for room in rooms:
            declared = room in DECLARATIONS.values()
            for part in sorted(ROOT.joinpath(room).iterdir()) if declared else [ROOT / room]:
                lines = lines_of(part) - (lines_of(DECLARATIONS[room]) if room in DECLARATIONS else 0)
                if lines > most:
                    yield f"{part.relative_to(ROOT)} has {lines} lines; at most {most}: it holds more than one idea"


def libtorch_problems():
    for path in sources():
        room = path.relative_to(ROOT).parts[0]
        if room in LIBTORCH_ROOMS:
            continue
        for number, target in included(path):
            if target.startswith(LIBTORCH_HEADERS):
                yield f"{path.relative_to(ROOT)}:{number}: only policy and trainer may include LibTorch ({target})"
    for path in sorted(ROOT.glob("*/**/CMakeLists.txt")):
        room = path.relative_to(ROOT).parts[0]
        if room in LIBTORCH_ROOMS or room in ("build", "third_party"):
            continue
        for word in set(re.findall(r"kg_\w+", path.read_text())) & set(LIBTORCH_TARGETS):
            yield f"{path.relative_to(ROOT)}: only policy and trainer may link {word}"


def readme_problems():
    for room in [*ARROWS, *INNER, *FREE]:
        if not (ROOT / room / "README.md").is_file():
            yield f"{room}/README.md is missing"


def picture():
    rows = [(room, others) for room, others in ARROWS.items() if room not in SHARED]
    width = max(len(room) for room, _ in rows)
    return "\n".join(f"{room:<{width}}  ─►  {', '.join(others) or '(base and proto alone)'}" for room, others in reversed(rows))


def main():
    if sys.argv[1:] == ["--picture"]:
        print(picture())
        return 0
    problems = [*arrow_problems(ARROWS), *arrow_problems(INNER, within=True), *cycle_problems(ARROWS), *cycle_problems(INNER),
                *size_problems(), *libtorch_problems(), *readme_problems()]
    if picture() not in (ROOT / "README.md").read_text():
        problems.append("README.md does not show the picture that scripts/check_layers.py --picture prints")
    count = sum(len(others) for others in ARROWS.values())
    print("\n".join(problems) if problems else f"{len(ARROWS)} rooms keep their {count} arrows")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
