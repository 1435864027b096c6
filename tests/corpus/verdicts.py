#!/usr/bin/env python3
"""A fixed corpus of kernels, judged by two versions of kgtrain: are their verdicts the same? See README.md."""

import argparse
import csv
import hashlib
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import items

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TAKEN = ("stage", "cycles", "correct", "reward_valid", "compiled", "ran", "sandbox_error")
TRIES = 3


def runner(kgtrain, home):
    """Runs the program with arguments and returns what it printed; ends with its message if it fails."""
    def run(*arguments):
        done = subprocess.run([kgtrain, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "KGTRAIN_HOME": str(home)})
        if done.returncode != 0:
            raise SystemExit(f"{kgtrain} {' '.join(map(str, arguments))} ended with status {done.returncode}")
        return done.stdout
    return run


def collect(options):
    import data_file  # judge and compare need nothing but Python
    import generated
    import hostile
    import own_answers

    if (options.out / "corpus.jsonl").exists():
        raise SystemExit(f"{options.out} holds a corpus already")
    corpus, skipped = items.Corpus(options.out), []
    with tempfile.TemporaryDirectory(prefix="kg-corpus-") as home:
        run = runner(options.kgtrain, home)
        generated.build(run, options.out, options.jobs)
        generated.add_all(corpus)
        tasks, tensors = own_answers.dsl_programs(options.root, corpus)
        hostile.attacks_on_the_judge(options.root, corpus, skipped)
        hostile.attacks_on_the_sandbox(options.root, corpus, skipped)
        tasks += hostile.TASKS.values()
        if options.hostile:
            hostile.further(options.hostile, corpus)
            tasks += hostile.further_tasks().values()
        data_file.write(options.out / "own.h5", tasks, tensors)
        if options.npukernelbench:
            own_answers.import_npukernelbench(run, options.out, options.root, options.npukernelbench)
            own_answers.npukernelbench(run, corpus, options.root, options.npukernelbench)
        if os.environ.get("KGTRAIN_PYTHON"):
            own_answers.import_modules(run, options.out, options.root, options.multikernelbench)
            own_answers.modules(options.root, corpus, options.multikernelbench)
        else:
            print("left out: modules, since KGTRAIN_PYTHON names no Python with PyTorch", file=sys.stderr)
    corpus.save()
    print(f"{len(corpus.items)} kernels; {len(skipped)} rows of the security tests' tables were left out")
    for names, count in items.counts(corpus.items.values(), "kind", "origin"):
        print(f"{count:5}  {' '.join(names)}")


def record_of(item, verdict):
    record = {"id": item["id"], "kind": item["kind"], "origin": item["origin"]}
    record.update({name: verdict[name] for name in TAKEN})
    record["faults"] = sorted([fault["class"], fault["severity"], fault["line"]] for fault in verdict["faults"])
    return record


def judge_batch(options, home, data, in_dsl, members):
    """One record for each item; fewer, if the program ends early."""
    batch = pathlib.Path(home) / "batch.jsonl"
    with open(batch, "w") as file:
        for item in members:
            asked = {key: item[key] for key in ("task", "kernel", "case") if key in item}
            if "project" in item:
                asked["project"] = str(options.corpus / item["project"])
            file.write(json.dumps(asked) + "\n")
    command = [options.kgtrain, "judge", "--data", options.corpus / data, "--batch", batch, "--jobs", str(options.jobs)]
    command += ["--language", "dsl"] if in_dsl else []
    command += ["--allow-less-isolation"] if options.allow_less_isolation else []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "KGTRAIN_HOME": home})
    for number, (item, line) in enumerate(zip(members, process.stdout), 1):
        yield record_of(item, json.loads(line))
        print(f"\r{data}: {number} of {len(members)} ", end="", file=sys.stderr, flush=True)
    process.wait()
    print(file=sys.stderr)


def judge(options):
    chosen = [item for item in items.load(options.corpus) if options.only in item["id"]]
    records = {}

    def group(item):
        return item["data"], item["kind"] == "dsl"

    # A sandbox that failed, on a host that is too busy, has said nothing of the kernel: it is asked again.
    with tempfile.TemporaryDirectory(prefix="kg-corpus-") as home:
        for _ in range(TRIES):
            left = [item for item in chosen if records.get(item["id"], {"sandbox_error": "none"})["sandbox_error"]]
            for (data, in_dsl), members in itertools.groupby(sorted(left, key=group), group):
                for record in judge_batch(options, home, data, in_dsl, list(members)):
                    records[record["id"]] = record
    options.out.write_text("".join(json.dumps(records[item["id"]]) + "\n" for item in chosen if item["id"] in records))
    lost = [item["id"] for item in chosen if item["id"] not in records]
    failed = [record for record in records.values() if record["sandbox_error"]]
    for name in lost:
        print(f"no verdict: {name}", file=sys.stderr)
    for record in failed:
        print(f"the sandbox failed: {record['id']}: {record['sandbox_error']}", file=sys.stderr)
    sys.exit(1 if lost or failed else 0)


def excluded():
    with open(HERE / "excluded.csv", newline="") as file:
        return {row["id"]: row["why"] for row in csv.DictReader(file, delimiter=";")}


def compare(options):
    first, second = ({record["id"]: record for record in map(json.loads, open(path))}
                     for path in (options.first, options.second))
    left_out, differences, same = excluded(), 0, []
    for name in sorted(first.keys() | second.keys()):
        a, b = first.get(name), second.get(name)
        if name in left_out:
            print(f"excluded: {name}: {left_out[name]}{'' if a == b else ' (differs)'}")
        elif a is None or b is None:
            differences += 1
            print(f"{name}: only in {options.first if b is None else options.second}")
        elif a == b:
            same.append(a)
        else:
            differences += 1
            for key in a.keys() | b.keys():
                if a.get(key) != b.get(key):
                    print(f"{name}: {key}: {a.get(key)} and {b.get(key)}")
    for (kind, origin, stage), count in items.counts(same, "kind", "origin", "stage"):
        print(f"{count:5}  {kind:8} {origin:8} {stage}")
    right = sum(record["correct"] for record in same)
    print(f"{len(same)} kernels with the same verdict ({right} correct, {len(same) - right} not), {differences} differences")
    sys.exit(1 if differences or not same else 0)


def kernels(options):
    """Reads samples alone: reasoning and the words of faults may change, tasks and kernels may not."""
    import data_file

    from generated import BLOCK
    tasks, texts, counted = hashlib.sha256(), hashlib.sha256(), [0, 0]
    for task in data_file.read(options.data, "tasks", ("id", "graph", "cases", "entry_point")):
        counted[0] += 1
        tasks.update(json.dumps(task, sort_keys=True).encode())
    for sample in data_file.read(options.data, "samples", ("instruction", "input", "output")):
        for _, text in BLOCK.findall("\n".join(sample.values())):
            counted[1] += 1
            texts.update(text.encode() + b"\0")
    print(f"{counted[0]} tasks {tasks.hexdigest()[:32]}\n{counted[1]} kernels {texts.hexdigest()[:32]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("collect", help="make the corpus, by the older program")
    command.set_defaults(run=collect)
    command.add_argument("--kgtrain", type=pathlib.Path, required=True)
    command.add_argument("--out", type=pathlib.Path, required=True, help="a folder")
    command.add_argument("--root", type=pathlib.Path, default=ROOT, help="source tree with the kernels of the tests")
    command.add_argument("--npukernelbench", type=pathlib.Path, help="checkout of the benchmark")
    command.add_argument("--multikernelbench", type=pathlib.Path, help="checkout of the benchmark")
    command.add_argument("--hostile", type=pathlib.Path, help="folder of further hostile kernels")
    command.add_argument("--jobs", type=int, default=2)
    command = commands.add_parser("judge", help="judge the corpus")
    command.set_defaults(run=judge)
    command.add_argument("--kgtrain", type=pathlib.Path, required=True)
    command.add_argument("--corpus", type=pathlib.Path, required=True)
    command.add_argument("--out", type=pathlib.Path, required=True, help="a file of JSON lines")
    command.add_argument("--only", default="", help="kernels whose name contains this")
    command.add_argument("--jobs", type=int, default=2)
    command.add_argument("--allow-less-isolation", action="store_true")
    command = commands.add_parser("compare", help="print all differences; status 1 if there is one")
    command.set_defaults(run=compare)
    command.add_argument("first", type=pathlib.Path)
    command.add_argument("second", type=pathlib.Path)
    command = commands.add_parser("kernels", help="hashes of the tasks and the kernels of a data set")
    command.set_defaults(run=kernels)
    command.add_argument("data", type=pathlib.Path)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
