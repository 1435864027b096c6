"""kgtrain serve under load while sandboxes are killed, against kgtrain judge --batch in the same run.

    serve_load.py KGTRAIN [--requests 10000] [--clients 64] [--jobs 2] [--kill-seconds 10] [--rounds 3] [--kernels 8]

Kernels are those of a small data set that are judged fastest, right and broken ones, each with a text of its own, so that nothing is answered from a
cache: what is measured is the queue and what a killed sandbox costs. Batch and service take turns, `rounds` times each, and the ratio is that of the same
round. Other load on the machine can still hit one of the two more; the processor time of a kernel does not depend on it. Checks that each id has one
answer, that it is the verdict that the batch gives, and that no fault became a number. Exit status 0: so it was.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "src"))

import kgtrain


def make_data(program, folder):
    data = folder / "tasks.h5"
    subprocess.run([program, "data", "build", "--out", data, "--samples", "60", "--seed", "5"], check=True, capture_output=True)
    subprocess.run([program, "data", "export", data, "--out", folder / "samples.jsonl"], check=True)
    return data


def kernels(url, folder):
    """(task, source): the samples that answer a task's prompt."""
    client = kgtrain.Client(url, token="")
    tasks = {client.task(task)["prompt"]: task for task in client.tasks()}
    found = []
    for line in (folder / "samples.jsonl").read_text().splitlines():
        sample = json.loads(line)
        block = re.findall(r"```(?:cpp|c\+\+)\n(.*?)```", sample["output"], re.S)
        if block and sample["instruction"] in tasks:
            found.append((tasks[sample["instruction"]], block[-1]))
    if not found:
        sys.exit("the data set has no kernel for a task's prompt")
    return found


def fastest(url, found, count):
    """The kernels whose judgement takes least."""
    client = kgtrain.Client(url, token="", timeout=3600)
    took = [(client.judge(task=task, kernel=kernel).record["wall_ms"], i) for i, (task, kernel) in enumerate(found)]
    return [found[i] for _, i in sorted(took)[:count]]


class Counted:
    """A control group, where this user may make one: the processor time of a program and of all that it starts, whoever waits for it."""

    def __init__(self, name):
        mounts = [line.split()[1] for line in open("/proc/mounts") if line.split()[2] == "cgroup2"]
        self.folder = pathlib.Path(mounts[0]) / f"kgtrain-load-{os.getpid()}-{name}" if mounts else None
        try:
            self.folder and self.folder.mkdir()
        except OSError:
            self.folder = None

    def enter(self):
        """Called by the program's process before the program is."""
        if self.folder:
            (self.folder / "cgroup.procs").write_text("0")

    def seconds(self):
        return int((self.folder / "cpu.stat").read_text().split()[1]) / 1e6 if self.folder else float("nan")

    def end(self):
        for _ in range(100):
            try:
                return self.folder and self.folder.rmdir()
            except OSError:
                time.sleep(0.1)  # the last of them are ending


def requests(found, count, round_):
    """Every third kernel is broken."""
    made = []
    for i in range(count):
        task, source = found[i % len(found)]
        made.append((f"{round_}-{i}", task, source.replace("{", "{ broken", 1) if i % 3 == 2 else f"{source}\n// {round_} {i}\n"))
    return made


def batch(program, data, folder, made, jobs, counted):
    lines = folder / "batch.jsonl"
    lines.write_text("".join(json.dumps({"task": task, "kernel": kernel}) + "\n" for _, task, kernel in made))
    began = time.monotonic()
    done = subprocess.run([program, "judge", "--data", data, "--batch", lines, "--jobs", str(jobs)], capture_output=True, text=True,
                          preexec_fn=counted.enter)
    return [json.loads(line) for line in done.stdout.splitlines()], time.monotonic() - began


class Killer:
    """Kills one sandbox of a service every so many seconds."""

    def __init__(self, service, seconds):
        self.service, self.seconds, self.killed, self.ended = service, seconds, 0, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended.wait(self.seconds):
            children = subprocess.run(["pgrep", "-P", str(self.service.pid), "kgtrain-sandbox"], capture_output=True, text=True)
            for child in children.stdout.split()[:1]:
                os.kill(int(child), signal.SIGKILL)
                self.killed += 1

    def end(self):
        self.ended.set()
        self.thread.join()
        return self.killed


def serve(url, made, clients):
    client = kgtrain.Client(url, token="", timeout=3600)

    def ask(one):
        began = time.monotonic()
        verdict = client.judge(id=one[0], task=one[1], kernel=one[2])
        return verdict.record, time.monotonic() - began

    began = time.monotonic()
    with ThreadPoolExecutor(max_workers=clients) as pool:
        answers = list(pool.map(ask, made))
    return [record for record, _ in answers], sorted(seconds for _, seconds in answers), time.monotonic() - began


def verdicts(url):
    """How many verdicts the service gave, how many requests ended without one, how many judgements it tried again."""
    metrics = urllib.request.urlopen(f"{url}/metrics").read().decode().splitlines()
    return [sum(float(line.split()[-1]) for line in metrics if line.startswith(f"kgtrain_{what}_total")) for what in ("verdicts", "unjudged", "faults")]


def same(one, other):
    return all(one[key] == other[key] for key in ("task", "stage", "correct", "cases_passed", "reward_valid"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--requests", type=int, default=10000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kill-seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kernels", type=int, default=8, help="different ones")
    options = parser.parse_args()
    each = options.requests // options.rounds
    wrong, ratios, waits = [], [], []
    batch_counted, serve_counted = Counted("batch"), Counted("serve")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = make_data(options.program, folder)
        service = subprocess.Popen([options.program, "serve", "--data", data, "--port", "0", "--jobs", str(options.jobs), "--no-modules"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=serve_counted.enter)
        url = re.search(r"http://[0-9.:]+", service.stdout.readline())[0]
        found = fastest(url, kernels(url, folder), options.kernels)
        before, used = verdicts(url), serve_counted.seconds()
        killed = 0
        for round_ in range(options.rounds):
            made = requests(found, each, round_)
            expected, batch_seconds = batch(options.program, data, folder, made, options.jobs, batch_counted)
            killer = Killer(service, options.kill_seconds)
            given, seconds, serve_seconds = serve(url, made, options.clients)
            killed += killer.end()
            waits += seconds
            ratios.append(batch_seconds / serve_seconds)
            if len(given) != len(made):
                wrong.append(f"round {round_}: {len(given)} answers to {len(made)} requests")
            for asked, one, other in zip(made, given, expected):
                if one["sandbox_error"] is None and not same(one, other):
                    wrong.append(f"{asked[0]}: {one['stage']}, the batch says {other['stage']}")
                if not one["reward_valid"] and one["reward"] is not None:
                    wrong.append(f"{asked[0]}: no result, and the reward {one['reward']}")
            print(f"round {round_}: batch {each / batch_seconds:.2f}/s, service {each / serve_seconds:.2f}/s, ratio {ratios[-1]:.3f}", flush=True)
        cost = [1e3 * seconds / (each * options.rounds) for seconds in (serve_counted.seconds() - used, batch_counted.seconds())]
        judged, unjudged, faults = (now - then for now, then in zip(verdicts(url), before))
        if judged + unjudged != each * options.rounds:
            wrong.append(f"{judged:.0f} verdicts and {unjudged:.0f} faults for {each * options.rounds} requests")
        service.terminate()
        service.wait(120)
    for counted in (batch_counted, serve_counted):
        counted.end()
    waits.sort()
    print(f"{each * options.rounds} requests of {options.clients} clients, {killed} sandboxes killed, {faults:.0f} judgements tried again, {unjudged:.0f} without a "
          f"verdict; p50 {waits[len(waits) // 2]:.2f} s, p99 {waits[int(len(waits) * 0.99)]:.2f} s; throughput {statistics.median(ratios):.3f} of judge --batch; "
          f"processor time of a kernel: service {cost[0]:.1f} ms, batch {cost[1]:.1f} ms")
    print("\n".join(wrong[:20]) if wrong else "none lost, none answered twice, no number for a fault")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
