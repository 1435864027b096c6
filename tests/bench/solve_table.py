#!/usr/bin/env python3
"""Runs `kgtrain solve` on PyTorch modules, judges each kept kernel again from scratch, and prints a table in Markdown.

    solve_table.py KGTRAIN FOLDER MODULE.py ... [-- OPTIONS OF SOLVE]

FOLDER gets a solved folder for each module. Exit status 1 if a kept kernel gets another verdict, or other cycles, when it is judged again.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys


def solve(program, module, folder, options):
    """The row of one module, from what `kgtrain solve` leaves."""
    said = subprocess.run([program, "solve", module, "--out", folder, *options], capture_output=True, text=True)
    if said.returncode not in (0, 1):  # 1: no kernel passed
        sys.exit(f"{module}: {said.stderr.strip()}")
    outcome = json.loads((folder / "solve.json").read_text())
    tried = [json.loads(line) for line in (folder / "tried.jsonl").read_text().splitlines()]
    answers = [one for one in tried if one["attempt"] > 0]  # 0 is the translation
    first = [one["outcome"] == "correct" for one in answers if one["turn"] == 1]
    repairs = [one["outcome"] == "correct" for one in answers if one["turn"] > 1]
    return {"name": module.stem, "outcome": outcome, "first": first, "repairs": repairs,
            "same": judged_again(folder, outcome) if outcome["solved"] else None}


def judged_again(folder, outcome):
    text = subprocess.run([folder / "judge_again.sh"], capture_output=True, text=True).stdout
    stage, cycles = re.search(r"^stage +(\w+)", text, re.M), re.search(r"^cycles +(\d+)", text, re.M)
    return bool(stage and cycles) and stage.group(1) == "correct" and int(cycles.group(1)) == int(outcome["cycles"])


def line_of(row):
    outcome = row["outcome"]
    kept, speedup = ("none", "") if not outcome["solved"] else (
        "translation" if outcome["attempt"] == 0 else "model's", f"{outcome['speedup']:.2f}")
    again = {None: "", True: "same", False: "OTHER"}[row["same"]]
    return (f"| `{row['name']}` | {outcome.get('translation', '')} | {sum(row['first'])} of {len(row['first'])} | "
            f"{sum(row['repairs'])} of {len(row['repairs'])} | {outcome['seconds']:.0f} | {kept} | {speedup} | {again} |")


def main():
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    words = words[: len(words) - len(options) - ("--" in words)]
    if len(words) < 3:
        sys.exit(__doc__)
    program, folder = pathlib.Path(words[0]).resolve(), pathlib.Path(words[1])
    print("| module | translation | first answers correct | repairs correct | seconds | kept | speed-up | judged again |")
    print("|---|---|---|---|---|---|---|---|")
    rows = []
    for module in map(pathlib.Path, words[2:]):
        rows.append(solve(program, module, (folder / module.stem).resolve(), options))
        print(line_of(rows[-1]), flush=True)
    first, repairs = [x for row in rows for x in row["first"]], [x for row in rows for x in row["repairs"]]
    seconds = [row["outcome"]["seconds"] for row in rows]
    print(f"\n{sum(row['outcome']['solved'] for row in rows)} of {len(rows)} solved, "
          f"{sum(any(row['first'] + row['repairs']) for row in rows)} by the model; {sum(first)} of {len(first)} first answers and "
          f"{sum(repairs)} of {len(repairs)} repairs correct; {statistics.median(seconds):.0f} s in the median, {max(seconds):.0f} s at most")
    return 1 if any(row["same"] is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
