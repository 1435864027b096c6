#!/usr/bin/env python3
"""Kills -9 the parts of an RL run at random moments and checks that nothing acknowledged is lost.

    kill_rl.py --bin FOLDER --data ascend_cot.h5 --model MODEL [--kills 10] [--seed 1] [--steps 4] [--max-new-tokens 64]

Runs `kgtrain rl` and kills in turn a worker, the generator, then the learner, each at a random moment; after a killed learner it
goes on with --resume. After every kill the data set must open with h5py alone. At the end every (work_id, sample) that a
worker's log calls acknowledged is in the data set exactly once, and the run has done all its updates. Exit status 0 if all of
that held.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

import h5py

ACKNOWLEDGED = re.compile(r"work (\d+) sample (\d+) is durable")
VICTIMS = ["kgtrain-worker", "kgtrain-generator", "kgtrain-learner"]


def descendants(root):
    """(pid, program) of `root` and of all processes below it."""
    children, names = collections.defaultdict(list), {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            program = (entry / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue  # it ended meanwhile
        children[parent].append(int(entry.name))
        names[int(entry.name)] = os.path.basename(program)
    found, queue = [], [root]
    while queue:
        pid = queue.pop()
        found.append((pid, names.get(pid, "")))
        queue += children[pid]
    return found


def segments(path):
    with h5py.File(path, "r") as file:
        yield from (file["rollouts"][name] for name in file["rollouts"])


def text_column(segment, name):
    offsets, pool = segment[name + "_offsets"][:], segment[name + "_bytes"][:].tobytes()
    return [pool[offsets[i]:offsets[i + 1]].decode() for i in range(len(offsets) - 1)]


def stored_keys(path, run):
    keys = collections.Counter()
    for segment in segments(path):
        for name, work, sample in zip(text_column(segment, "run"), segment["work_id"][:], segment["sample"][:]):
            if name == run:
                keys[(int(work), int(sample))] += 1
    return keys


def kill_now_and_then(learner, arguments, draw, kills):
    """Until the learner ends or all kills are done; returns the number of kills so far."""
    while learner.poll() is None and kills < arguments.kills:
        moment = time.monotonic() + draw.uniform(0.5, arguments.longest_wait)
        while learner.poll() is None and time.monotonic() < moment:
            time.sleep(0.05)
        victim = VICTIMS[kills % len(VICTIMS)]
        targets = [pid for pid, program in descendants(learner.pid) if program == victim]
        if learner.poll() is not None or not targets:
            continue
        os.kill(draw.choice(targets), signal.SIGKILL)
        kills += 1
        seen = sum(len(segment["work_id"]) for segment in segments(arguments.data))
        print(f"kill {kills}: {victim}; h5py opens the data set, {seen} rollouts are folded", flush=True)
        if victim == "kgtrain-learner":
            learner.wait()
    return kills


def run_to_the_end(command, arguments, draw, log):
    kills, resume = 0, []
    while True:
        environment = dict(os.environ, KGTRAIN_LOG="debug")
        learner = subprocess.Popen(command + resume, env=environment, stdout=log, stderr=log, start_new_session=True)
        kills = kill_now_and_then(learner, arguments, draw, kills)
        try:
            status = learner.wait(timeout=arguments.time_limit)
        except subprocess.TimeoutExpired:
            os.killpg(learner.pid, signal.SIGKILL)
            sys.exit(f"the run did not end in {arguments.time_limit} s; see {log.name}")
        if status == 0:
            return kills
        if status != -signal.SIGKILL:
            sys.exit(f"the learner ended with {status}; see {log.name}")
        resume = ["--resume"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--run", default="kill-rl")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--max-new-tokens", type=int, default=64)
    parser.add_argument("--longest-wait", type=float, default=20, help="seconds before a kill, at most")
    parser.add_argument("--time-limit", type=float, default=1800, help="seconds that one start of the run may take")
    arguments = parser.parse_args()
    home = pathlib.Path(os.environ.get("KGTRAIN_HOME", pathlib.Path.home() / ".kgtrain"))
    run_folder = home / "runs" / arguments.run
    command = [arguments.bin / "kgtrain", "rl", "--workers", arguments.workers, "--data", arguments.data, "--out", arguments.run,
               "--model", arguments.model, "--steps", arguments.steps, "--groups-per-step", 2, "--group-size", 4,
               "--max-new-tokens", arguments.max_new_tokens, "--checkpoint-every", 1]
    with open(home / f"{arguments.run}.log", "ab") as log:
        kills = run_to_the_end([str(word) for word in command], arguments, random.Random(arguments.seed), log)

    acknowledged = set()
    for path in run_folder.rglob("*.log"):
        acknowledged |= {(int(work), int(sample)) for work, sample in ACKNOWLEDGED.findall(path.read_text(errors="replace"))}
    stored = stored_keys(arguments.data, arguments.run)
    lost = sorted(acknowledged - set(stored))
    twice = sorted(key for key, count in stored.items() if count > 1)
    last = max(json.loads(line)["step"] for line in (run_folder / "metrics.jsonl").read_text().splitlines())
    print(f"{kills} kills, {len(acknowledged)} acknowledged, {len(stored)} stored, {len(lost)} lost, {len(twice)} twice, "
          f"update {last} of {arguments.steps}")
    good = kills >= arguments.kills and acknowledged and not lost and not twice and last == arguments.steps
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
