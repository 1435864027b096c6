"""Kernels out of a data set that `kgtrain data build` made: right ones in all styles, its wrong ones, and spoiled ones."""

import collections
import re

import data_file
import mutations
import spoiled

SAMPLES, SEED = 1500, 28
MOST_OF_A_STYLE, MOST_DSL, MOST_PROJECTS, MOST_OF_A_MISTAKE = 7, 40, 16, 3
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
RULE = "=" * 18
FILE = re.compile(rf"{RULE}\s(\S+)\s{RULE}\s*```cpp\n(.*?)```", re.DOTALL)


def build(run, folder, jobs):
    run("data", "build", "--samples", SAMPLES, "--seed", SEED, "--jobs", jobs, "--quiet", "--out", folder / "generated.h5")


class Pick:
    """The first few of each group."""

    def __init__(self):
        self.taken = collections.Counter()

    def one_of(self, group, most):
        self.taken[group] += 1
        return self.taken[group] <= most


def mistake_of(provenance):
    found = re.search(r"mutant (\w+) line", provenance)
    return found and found[1]


def add_all(corpus):
    data, pick = "generated.h5", Pick()
    rights = {"ascendc": {}, "dsl": {}, "project": {}}
    columns = ("id", "task", "kind", "style", "instruction", "output", "provenance")
    for sample in data_file.read(corpus.folder / data, "samples", columns):
        if not sample["task"]:
            continue
        kind = "dsl" if sample["style"] == "dsl" else "ascendc"
        name, task, mistake = f"built/{sample['id']}", sample["task"], mistake_of(sample["provenance"])
        if sample["kind"] == "project" and pick.one_of("project", MOST_PROJECTS):
            files = dict(FILE.findall(sample["output"]))
            corpus.add(name, "project", "right", data, task, project=files)
            rights["project"][name] = task, files, None
        elif sample["kind"] == "kernel" and pick.one_of(
                sample["style"], MOST_DSL if kind == "dsl" else MOST_OF_A_STYLE):
            text = BLOCK.findall(sample["output"])[-1][1]
            corpus.add(name, kind, "right", data, task, kernel=text)
            rights[kind][name] = task, text, None
        elif sample["kind"] in ("repair", "prediction") and mistake and pick.one_of(
                (kind, mistake), MOST_OF_A_MISTAKE):
            text = BLOCK.findall(sample["instruction"])[0][1]
            corpus.add(name, kind, "wrong", data, task, kernel=text)
    spoiled.add_texts(corpus, "ascendc", data, mutations.ASCENDC, rights["ascendc"])
    spoiled.add_texts(corpus, "dsl", data, mutations.DSL, rights["dsl"])
    spoiled.add_projects(corpus, data, mutations.PROJECT, rights["project"])
