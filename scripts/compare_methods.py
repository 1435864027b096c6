#!/usr/bin/env python3
"""The table of scripts/compare_methods.sh: ER@1, CR@1 and ER@k on the held-out tasks of each method, over its seeds, and its gain over
the model that all began with and over the first method. Intervals (95 %, percentiles) draw operator structures and seeds anew 10,000 times.

    compare_methods.py OUT METHOD...

What the table needs of a finished evaluation is kept in OUT/counts, a small file a run: the runs themselves may be deleted, and files of
several machines put together.
"""
import json
import math
import pathlib
import sys

import h5py
import numpy

DRAWS = 10000


def texts(part, column):
    offsets, pool = part[column + "_offsets"][:], part[column + "_bytes"][:].tobytes()
    return [pool[begin:end].decode() for begin, end in zip(offsets, offsets[1:])]


def outcomes(answers):
    """{task: [valid answers, compiled, correct, correct or repaired]} of an evaluation; None: nothing was repaired."""
    columns = ["work_id", "sample", "after_work_id", "after_sample", "reward_valid", "compiled", "correct"]
    first, repaired, repairs = [], set(), 0
    with h5py.File(answers, "r") as data:
        for part in data["rollouts"].values():
            for task, purpose, work, sample, after, after_sample, valid, compiled, correct in zip(
                    texts(part, "task"), texts(part, "purpose"), *(part[name][:] for name in columns)):
                if purpose.startswith("eval:") and valid:
                    first.append((task, (work, sample), int(compiled), int(correct)))
                elif purpose.startswith("repair:"):
                    repairs += 1
                    if correct:
                        repaired.add((after, after_sample))
    found = {}
    for task, key, compiled, correct in first:
        row = found.setdefault(task, [0, 0, 0, 0 if repairs else None])
        row[0] += 1
        row[1] += compiled
        row[2] += correct
        if repairs:
            row[3] += int(correct or key in repaired)
    return found


def structures(heldout):
    with h5py.File(heldout, "r") as data:
        return {task: structure or task for part in data["tasks"].values()
                for task, structure in zip(texts(part, "id"), texts(part, "structure"))}


def at_k(n, right, k):
    """Chen et al., arXiv 2107.03374: the unbiased estimator."""
    return 1.0 if n - right < k else 1.0 - math.comb(n - right, k) / math.comb(n, k)


class Models:
    """The evaluations of one method, one a seed: arrays (seeds, tasks) of ER@1, CR@1, ER@k and, if failed answers were repaired once,
    the rate after that."""

    def __init__(self, evaluations, tasks, k):
        rows = [[one[task] for task in tasks] for one in evaluations]
        self.numbers = {"ER@1": [[right / n for n, _, right, _ in one] for one in rows],
                        "CR@1": [[compiled / n for n, compiled, _, _ in one] for one in rows],
                        f"ER@{k}": [[at_k(n, right, k) for n, _, right, _ in one] for one in rows]}
        if all(row[3] is not None for one in rows for row in one):
            self.numbers["turn 2"] = [[after / n for n, _, _, after in one] for one in rows]
        self.numbers = {name: numpy.array(values) for name, values in self.numbers.items()}

    def draw(self, name, seeds, weights):
        """The mean over tasks, each counted as often as its structure was drawn, and over the seeds that were drawn."""
        values = self.numbers[name][seeds].mean(axis=0)
        return float((values * weights).sum() / weights.sum())


def interval(first, second, name, clusters, random):
    """Of the mean of `first` less that of `second` (None: nothing): estimate, low, high."""
    count = clusters.max() + 1
    drawn = []
    for _ in range(DRAWS):
        weights = numpy.bincount(random.integers(0, count, count), minlength=count)[clusters].astype(float)
        one = first.draw(name, random.integers(0, len(first.numbers[name]), len(first.numbers[name])), weights)
        if second is not None:
            one -= second.draw(name, random.integers(0, len(second.numbers[name]), len(second.numbers[name])), weights)
        drawn.append(one)
    estimate = first.numbers[name].mean() - (second.numbers[name].mean() if second is not None else 0)
    return estimate, *numpy.percentile(drawn, [2.5, 97.5])


def said(estimate, low, high, sign=""):
    return f"{100 * estimate:{sign}.1f} [{100 * low:{sign}.1f}, {100 * high:{sign}.1f}]"


def training(folder):
    """Updates and answer tokens of a run's training; of dpo's rounds their answers alone."""
    metrics = folder / "metrics.jsonl"
    if metrics.exists():
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        lines = [one for one in lines if "answer_tokens" in one]
        return f"{len(lines)} updates, {sum(one['answer_tokens'] * one['rollouts'] for one in lines) / 1e3:.0f}"
    tokens = rounds = 0
    for answers in sorted(folder.glob("answers-*/answers.h5")):
        rounds += 1
        with h5py.File(answers, "r") as data:
            tokens += sum(len(part["token_ids_values"]) for part in data["rollouts"].values())
    return f"{rounds} rounds, {tokens / 1e3:.0f}"


def kept_counts(out):
    """{run: {"training", "tasks": {task: {"structure", "counts" as from outcomes()}}}} of all evaluations that are done."""
    folder = out / "counts"
    folder.mkdir(exist_ok=True)
    for evaluation in sorted(out.glob("*-eval")):
        name = evaluation.name[: -len("-eval")]
        file = folder / f"{name}.json"
        if file.exists() or not (out / "done" / evaluation.name).exists():
            continue
        structure = structures(out / "heldout.h5")
        rows = [f'{json.dumps(task)}: {json.dumps({"structure": structure[task], "counts": row})}'
                for task, row in sorted(outcomes(evaluation / "answers.h5").items())]
        text = f'{{"training": {json.dumps(training(out / name) if (out / name).exists() else "")}, "tasks": {{\n' + ",\n".join(rows) + "\n}}\n"
        part = file.with_suffix(".part")
        part.write_text(text)
        part.rename(file)
    return {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}


def main():
    out, methods = pathlib.Path(sys.argv[1]), sys.argv[2:]
    kept = kept_counts(out)
    found = {name: {task: one["counts"] for task, one in run["tasks"].items()} for name, run in kept.items()}
    groups = {"start": ["start"]} | {method: [name for name in found if name.rsplit("-", 1)[0] == method] for method in methods}
    groups = {method: names for method, names in groups.items() if all(name in found for name in names) and names}
    tasks = sorted(set.intersection(*(set(found[name]) for names in groups.values() for name in names)))
    k = min(found[name][task][0] for names in groups.values() for name in names for task in tasks)
    cluster_of = {task: one["structure"] for run in kept.values() for task, one in run["tasks"].items()}
    numbers = {name: i for i, name in enumerate(sorted({cluster_of[task] for task in tasks}))}
    clusters = numpy.array([numbers[cluster_of[task]] for task in tasks])
    models = {method: Models([found[name] for name in names], tasks, k) for method, names in groups.items()}
    random = numpy.random.default_rng(1)
    print(f"{len(tasks)} tasks of {len(numbers)} structures, at least {k} valid answers each; 95 % intervals over structures and seeds\n")
    print(f"{'':8}  {'seeds':>5}  " + "".join(f"{name + ', %':>22}" for name in models["start"].numbers))
    for method, one in models.items():
        cells = "".join(f"{said(*interval(one, None, name, clusters, random)):>22}" for name in one.numbers)
        print(f"{method:8}  {len(groups[method]):>5}  {cells}")
    trained = [method for method in models if method != "start"]
    for against in ["start"] + (trained[:1] if len(trained) > 1 else []):
        print(f"\ngain over {against}, points")
        for method in trained:
            if method != against:
                both = [name for name in models[method].numbers if name in models[against].numbers]
                cells = "".join(f"{said(*interval(models[method], models[against], name, clusters, random), '+'):>22}" for name in both)
                print(f"{method:8}  {'':>5}  {cells}")
    print("\ntraining: thousands of answer tokens")
    for method in trained:
        for name in groups[method]:
            print(f"{name:10}  {kept[name]['training']}")


if __name__ == "__main__":
    main()
