#!/usr/bin/env python3
"""Plants one include that is not declared in each room of a copy of the tree: scripts/check_layers.py must find it, and nothing
before it was planted.

  layers_test.py SOURCE_FOLDER
"""
import importlib.util
import pathlib
import shutil
import sys
import tempfile


def load(source):
    spec = importlib.util.spec_from_file_location("check_layers", source / "scripts/check_layers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def files_of(layers, arrows, room, endings):
    """Files of the room itself, not of rooms inside it, relative to the root."""
    for path in sorted((layers.ROOT / room).rglob("*")):
        name = path.relative_to(layers.ROOT).as_posix()
        if path.suffix in endings and layers.room_of(name, arrows) == room and not name.endswith("_main.cpp"):
            yield name


def main():
    source = pathlib.Path(sys.argv[1])
    layers = load(source)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in {room.split("/")[0] for room in layers.ARROWS} | set(layers.FREE):
            shutil.copytree(source / name, root / name)
        layers.ROOT = root
        planted = 0
        for arrows, within in ((layers.ARROWS, False), (layers.INNER, True)):
            before = list(layers.arrow_problems(arrows, within))
            if before:
                failures.append(f"problems before anything was planted: {before}")
            for room in arrows:
                file = next(files_of(layers, arrows, room, (".cpp", ".h")), None)
                stranger = next((other for other in arrows if other != room and other not in arrows[room]
                                 and not (other in layers.SHARED and room not in layers.SHARED)
                                 and not (room == "proto" and other == "base")
                                 and not (within and other.split("/")[0] != room.split("/")[0])), None)
                if file is None or stranger is None:
                    continue
                header = next(files_of(layers, arrows, stranger, (".h",)))
                text = (root / file).read_text()
                (root / file).write_text(f'#include "{header}"\n{text}')
                found = [problem for problem in layers.arrow_problems(arrows, within) if f"{room} must not include {stranger}" in problem]
                (root / file).write_text(text)
                planted += 1
                if len(found) != 1:
                    failures.append(f"{room} including {stranger} was reported {len(found)} times")
    print("\n".join(failures) if failures else f"{planted} planted includes found")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
