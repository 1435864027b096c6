#!/usr/bin/env python3
"""Puts RL runs through what happens to them on a cluster, and checks that nothing is lost, doubled, or another's.

    kill_rl.py --bin FOLDER --data ascend_cot.h5 --model MODEL [--runs 40] [--seed 1] [--scenario NAME]

Each run draws its scenario in turn and the moments of its events at random. With the model of `write_tiny_model`, whose answers
are noise, a run takes seconds; the runs share the data set. Scenarios:

    kills      worker, generator and learner are killed -9 in turn; --resume
    options    stopped or killed, resumed with other groups, another group size and another seed, twice
    sigterm    workers of other hosts; SIGTERM to the learner, resumed: the workers live on
    restart    workers of other hosts; the learner is killed -9 with updates that no checkpoint has, resumed: they live on
    fetchers   eight workers of one host fetch each version of the weights over the network
    liar       a worker of another host forges 5 % of its verdicts, beside an honest one: it must be found within 200 results
    other-run  the learner of a run is killed, and another run takes its address: the workers change over; then the first goes on

After each run: every result that a worker's log calls acknowledged is stored, once; each update trained on the works that its
options draw (computed here), complete, each once; nobody hangs. Exit status 0 if all of that held for all runs.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import sys
import tempfile
import time

import rl_records
from rl_run import Failure, Processes, RemoteWorkers, RlRun, free_port

JUDGED = re.compile(r"result (\d+) of this worker")


def descendants(root):
    """(pid, program) of all processes below `root`."""
    children, names = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            program = (entry / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue  # it ended meanwhile
        children.setdefault(parent, []).append(int(entry.name))
        names[int(entry.name)] = os.path.basename(program)
    found, queue = [], [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += [(pid, names.get(pid, "")) for pid in below]
        queue += below
    return found


def pause(draw, longest):
    time.sleep(draw.uniform(0, longest))


def kills(setting, name, processes, draw):
    run = RlRun(setting, name, processes, workers=3, steps=14, staleness=draw.choice([0, 1]),
                more=["--checkpoint-every", draw.choice([1, 2])])
    run.start()
    for victim in ["kgtrain-worker", "kgtrain-generator", "kgtrain-learner"] * 2:
        if not run.wait_for_updates(run.updates() + draw.choice([0, 1])):
            break
        pause(draw, 1)
        if victim == "kgtrain-learner":
            if not run.stop(signal.SIGKILL):
                break
            rl_records.Stored(setting.data)  # h5py alone opens it at any time
            run.start()
            continue
        targets = [pid for pid, program in descendants(run.learner.pid) if program == victim]
        if targets:
            os.kill(draw.choice(targets), signal.SIGKILL)
    run.finish()
    return [run]


def options(setting, name, processes, draw):
    run = RlRun(setting, name, processes, workers=2, steps=15, groups=draw.choice([2, 4]), staleness=draw.choice([0, 2]),
                more=["--checkpoint-every", draw.choice([1, 3])])
    run.start()
    for groups, size, seed in [(draw.choice([1, 3]), 4, 1), (2, draw.choice([2, 6]), 7)]:
        if not run.wait_for_updates(run.checkpoint() + draw.choice([3, 4])):
            break
        pause(draw, 0.5)
        if not run.stop(draw.choice([signal.SIGKILL, signal.SIGTERM])):
            break
        run.start(groups=groups, size=size, seed=seed)
    run.finish()
    return [run]


def remote_run(setting, name, processes, workers, fetch=False, **options):
    run = RlRun(setting, name, processes, port=free_port(), **options)
    remote = RemoteWorkers(setting, processes, run.port)
    remote.make_keys(workers)
    run.start()
    for worker in workers:
        remote.start(worker, more=["--fetch-weights"] * fetch)
    return run, remote


def stop_and_go_on(run, remote, draw, number, times):
    for _ in range(times):
        if not run.wait_for_updates(run.checkpoint() + draw.choice([2, 3])):
            break
        pause(draw, 0.5)
        if not run.stop(number):
            break
        remote.expect_alive()
        pause(draw, 2)
        run.start()
    run.finish()
    remote.expect_end()
    return [run]


def sigterm(setting, name, processes, draw):
    run, remote = remote_run(setting, name, processes, ["a", "b", "c"], steps=12, staleness=draw.choice([0, 1]))
    return stop_and_go_on(run, remote, draw, signal.SIGTERM, times=2)


def restart(setting, name, processes, draw):
    run, remote = remote_run(setting, name, processes, ["a", "b", "c"], steps=14, staleness=draw.choice([0, 1]),
                             more=["--checkpoint-every", "3"])
    return stop_and_go_on(run, remote, draw, signal.SIGKILL, times=2)


def fetchers(setting, name, processes, draw):
    run, remote = remote_run(setting, name, processes, [f"f{i}" for i in range(8)], fetch=True, steps=12, groups=4,
                             staleness=draw.choice([0, 1]))
    return stop_and_go_on(run, remote, draw, signal.SIGTERM, times=1)


def liar(setting, name, processes, draw):
    run, remote = remote_run(setting, name, processes, ["honest"], steps=100000, groups=4, size=6, staleness=1)
    remote.make_keys(["liar"])
    remote.start("liar", program="rollout_lying_worker", more=["--forge", "0.05", "--seed", draw.randrange(1 << 30)])
    child = remote.children.pop("liar")
    run.wait_until(lambda: child.poll() is not None or run.learner.poll() is not None, "the liar is found")
    if child.poll() is None or not (run.folder / "refused_workers").exists():
        raise Failure("the liar was not found")
    results = int(JUDGED.findall((processes.folder / "remote-liar.log").read_text())[-1])
    if results > 200:
        raise Failure(f"the liar was found after {results} results only")
    run.stop(signal.SIGTERM)
    remote.expect_alive()
    run.start(steps=run.checkpoint() + 4)
    run.finish()
    remote.expect_end()
    print(f"    found after {results} results", flush=True)
    return [run]


def other_run(setting, name, processes, draw):
    first, remote = remote_run(setting, name, processes, ["a", "b"], steps=10, seed=1)
    second = RlRun(setting, name + "-second", processes, port=first.port, steps=6, seed=2)
    first.wait_for_updates(draw.choice([1, 2, 3]))
    pause(draw, 0.5)
    first.stop(signal.SIGKILL)
    second.start()
    second.finish()
    remote.expect_end()
    remote.children.clear()
    first.start()
    for worker in ["a", "b"]:
        remote.start(worker)
    first.finish()
    remote.expect_end()
    return [first, second]


SCENARIOS = {"kills": kills, "options": options, "sigterm": sigterm, "restart": restart, "fetchers": fetchers, "liar": liar,
             "other-run": other_run}


def forged(stored, runs):
    """Keys of verdicts that only a liar can have reported, as the model's answers are noise: those that no check had hit when a
    later one was found right (rollout/spot_checks.h)."""
    return sorted(key for key, row in stored.rows.items() if key[0] in runs and row["correct"] and row["worker"] == "liar")


def one_run(setting, number, scenario):
    name = f"run{number}-{scenario}"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kgrl", dir=setting.scratch))
    processes, problems, counts = Processes(folder), [], {}
    began = time.monotonic()
    try:
        runs = SCENARIOS[scenario](setting, name, processes, random.Random(setting.seed * 1000 + number))
        stored = rl_records.Stored(setting.data)
        for run in runs:
            more, wrong = rl_records.report(run.folder, run.id(), stored, run.logs(), run.lives, run.options["steps"])
            counts = {key: counts.get(key, 0) + value for key, value in more.items()}
            problems += [f"{run.name}: {line}" for line in wrong]
        counts["forged"] = len(forged(stored, {run.id() for run in runs}))
    except Failure as failure:
        problems.append(str(failure))
    finally:
        processes.end()
    print(f"{name}: {time.monotonic() - began:.0f} s, {counts}" + "".join(f"\n    WRONG: {line}" for line in problems), flush=True)
    if problems:
        print(f"    its files are kept in {folder}", flush=True)
    else:
        shutil.rmtree(folder)
    return counts, not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="rollouts are stored in it: give a copy")
    parser.add_argument("--model", required=True)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenario", choices=list(SCENARIOS))
    parser.add_argument("--max-new-tokens", type=int, default=24)
    parser.add_argument("--time-limit", type=float, default=300, help="seconds for which nothing may happen")
    parser.add_argument("--scratch", default="/tmp", help="folder for the runs; its path must be short, for sockets")
    setting = parser.parse_args()
    total, good = {}, 0
    names = [setting.scenario] if setting.scenario else list(SCENARIOS)
    for number in range(setting.runs):
        counts, held = one_run(setting, number, names[number % len(names)])
        total = {key: total.get(key, 0) + counts.get(key, 0) for key in total | counts}
        good += held
    print(f"{good} of {setting.runs} runs good: {total}")
    return 0 if good == setting.runs else 1


if __name__ == "__main__":
    sys.exit(main())
