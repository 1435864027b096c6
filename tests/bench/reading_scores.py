"""Scores of the line with which an answer begins, apart from the program below it: shapes, axes, numbers, steps.

    reading_scores.py DATA.h5 LABEL

Compares the answers of an evaluation with the samples of their tasks (h5py). Tasks without a sample, such as those of
tests/foreign_modules, are counted by their verdicts alone.
"""

import collections
import re
import sys

import h5py


def texts(part, column):
    offsets, data = part[column + "_offsets"][:], part[column + "_bytes"][:]
    return [data[begin:end].tobytes().decode() for begin, end in zip(offsets, offsets[1:])]


def parts_of(answer):
    """What the reading line says: {part: text}."""
    line = answer.split("\n", 1)[0]
    numbers = re.search(r"Numbers ([^;]*?)\. (?:Steps|Out)", line)
    steps = re.search(r"Steps: (.*)$", line)
    before = line.split("Steps:")[0]
    axes = re.search(r"(Dims? [^.]*|Rows of [^.]*|Windows over [^.]*)\.", before)
    return {"shapes": re.findall(r"\S+ \[[\d,]*\] = \[[^\]]*\]", before), "axes": axes[1] if axes else "",
            "numbers": numbers[1] if numbers else "", "steps": steps[1] if steps else ""}


def main():
    path, label = sys.argv[1:]
    wanted, about = {}, {}
    scores = collections.defaultdict(lambda: collections.defaultdict(list))
    with h5py.File(path, "r") as data:
        for part in data["samples"].values() if "samples" in data else ():
            for task, output, provenance in zip(texts(part, "task"), texts(part, "output"), texts(part, "provenance")):
                wanted[task] = parts_of(output)
                about[task] = dict(one.split("=", 1) for one in provenance.split() if "=" in one)
        for part in data["rollouts"].values():
            rows = zip(texts(part, "task"), texts(part, "purpose"), texts(part, "completion"), part["compiled"][:], part["correct"][:])
            for task, purpose, answer, compiled, correct in rows:
                if purpose != "eval:" + label:
                    continue
                found = {"compiled": bool(compiled), "correct": bool(correct)}
                if task in wanted:
                    read = parts_of(answer)
                    found.update({key: read[key] == wanted[task][key] for key in read})
                    found["reading"] = all(found[key] for key in read)
                    found["program, if read"] = bool(correct) if found["reading"] else None
                known = about.get(task, {"stratum": task.split("/")[-1].split("_")[0]})
                groups = ["all", known.get("stratum", "?")] + (["hops " + known["hops"]] if "hops" in known else [])
                for group in groups:
                    for key, value in found.items():
                        if value is not None:
                            scores[group][key].append(value)
    columns = ["compiled", "correct", "reading", "shapes", "axes", "numbers", "steps", "program, if read"]
    print("| | answers | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 2) + "|")
    for group in sorted(scores):
        row = scores[group]
        cells = [f"{100 * sum(row[key]) / len(row[key]):.1f} %" if row[key] else "" for key in columns]
        print(f"| {group} | {len(row['correct'])} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
