#!/usr/bin/env python3
"""Checks the shape of the C++: no function above 100 lines, at most 15 above 60, and no class with members in more than two
files (its header and one .cpp). Lines count from the first of the definition to its closing brace, tests included.

  scripts/check_shape.py         prints every violation; exit status 1 if there is one
  scripts/check_shape.py --long  prints the functions above 60 lines and the classes in more than two files

Needs universal-ctags.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_LINES, LONG, MOST_LONG, MOST_FILES = 100, 60, 15, 2


def tags():
    """The output of ctags: functions with their first and last line, and declarations of classes."""
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.cpp", "*.h", "*.hpp"],
                           cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = subprocess.run(
        ["ctags", "--languages=C++", "--langmap=C++:+.h", "--kinds-C++=fcs", "--fields=+neZ", "--output-format=json",
         "-L", "-", "-f", "-"], cwd=ROOT, input=files, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in found.splitlines()]


def functions(found):
    """(lines, "path name", first line) of every function, the longest first."""
    return sorted(((tag["end"] - tag["line"] + 1, f"{tag['path']} {tag['name']}", tag["line"])
                   for tag in found if tag["kind"] == "function" and "end" in tag), reverse=True)


def spread_classes(found):
    """(class, its files) for every class in more than MOST_FILES files. Programs may each have a class of the same name, so a
    file that declares one counts only for its own class."""
    declared, defined = collections.defaultdict(set), collections.defaultdict(set)
    for tag in found:
        if tag["kind"] in ("class", "struct"):
            declared[f"{tag['scope']}::{tag['name']}" if "scope" in tag else tag["name"]].add(tag["path"])
        elif tag.get("scopeKind") in ("class", "struct"):
            defined[tag["scope"]].add(tag["path"])
    for name in sorted(defined):
        apart = defined[name] - declared[name]
        if len(apart) > MOST_FILES - 1:
            yield name, sorted(declared[name] | apart)


def problems(long, spread):
    for lines, name, first in long:
        if lines > MOST_LINES:
            yield f"{name} (line {first}) has {lines} lines; at most {MOST_LINES}: it holds more than one idea"
    if len(long) > MOST_LONG:
        yield f"{len(long)} functions are above {LONG} lines; at most {MOST_LONG} (scripts/check_shape.py --long)"
    for name, files in spread:
        yield f"{name} has members in {', '.join(files)}; at most a header and one .cpp: functions over a small context"


def main():
    found = tags()
    all_functions = functions(found)
    long = [each for each in all_functions if each[0] > LONG]
    spread = list(spread_classes(found))
    if sys.argv[1:] == ["--long"]:
        print("\n".join([f"{lines:4} {name}:{first}" for lines, name, first in long] + [f"{name}: {', '.join(files)}" for name, files in spread]))
        return 0
    wrong = list(problems(long, spread))
    print("\n".join(wrong) if wrong else
          f"{len(all_functions)} functions: none above {MOST_LINES} lines, {len(long)} above {LONG}; no class in more than "
          f"{MOST_FILES} files")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
