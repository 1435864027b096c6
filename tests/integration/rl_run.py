"""One run of `kgtrain rl` with the processes around it: learner, and where it has workers of other hosts (over loopback, with
CURVE keys) those and their generator. For kill_rl.py."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

import rl_records

STOPPED = 75  # base/exit_status.h
# No answer of these models is ever rewarded, and the divergence has no gradient at the starting model: its weight makes every
# update count as one with a signal, the decay moves the weights.
COMMON = ["--kl-weight", "0.1", "--learning-rate", "1e-3", "--weight-decay", "1", "--threads", "1", "--dtype", "float32"]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Failure(Exception):
    pass


class Processes:
    """All that a scenario started; none outlives it."""

    def __init__(self, folder):
        self.folder, self.children = folder, []

    def start(self, name, command):
        environment = dict(os.environ, KGTRAIN_LOG="debug", OMP_WAIT_POLICY="passive", KGTRAIN_HOME=str(self.folder / "home"))
        log = open(self.folder / f"{name}.log", "ab")
        child = subprocess.Popen([str(word) for word in command], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 start_new_session=True)
        log.close()
        self.children.append(child)
        return child

    def end(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.wait()


class RlRun:
    """`options`: steps, groups (an update), size (of a group), seed, staleness, and `more` words of the command line."""

    def __init__(self, setting, name, processes, workers=0, port=None, **options):
        self.setting, self.name, self.processes = setting, name, processes
        self.folder = processes.folder / name
        self.workers, self.port = workers, port
        self.options = {"steps": 10, "groups": 2, "size": 4, "seed": 1, "staleness": 0, "common": COMMON, "more": []} | options
        self.lives = []  # (step that it goes on from, options)
        self.learner = None

    def id(self):
        """Under which its rollouts are stored: its name, unless the data set has a run of that name."""
        return json.loads((self.folder / "config.json").read_text())["run_id"]

    def checkpoint(self):
        steps = [int(path.name.split("-")[1]) for path in (self.folder / "checkpoints").glob("step-[0-9]*")
                 if (path / "state.json").exists()]
        return max(steps, default=0)

    def start(self, **changes):
        resume = bool(self.lives)
        self.options |= changes
        options = self.options
        self.lives.append((self.checkpoint(), dict(options)))
        command = [self.setting.bin / "kgtrain", "rl", "--out", self.folder, "--data", self.setting.data, "--model",
                   self.setting.model, "--workers", self.workers, "--steps", options["steps"], "--groups-per-step",
                   options["groups"], "--group-size", options["size"], "--seed", options["seed"], "--staleness",
                   options["staleness"], "--max-new-tokens", self.setting.max_new_tokens, *options["common"], *options["more"]]
        if self.port:
            command += ["--bind", f"tcp://127.0.0.1:{self.port}", "--keys", self.processes.folder / "keys"]
        self.learner = self.processes.start(self.name + "-learner", command + ["--resume"] * resume)

    def updates(self):
        return len(rl_records.metrics(self.folder))

    def wait_until(self, condition, what):
        deadline = time.monotonic() + self.setting.time_limit
        while not condition():
            if time.monotonic() > deadline:
                raise Failure(f"{self.name} hangs: waited {self.setting.time_limit} s until {what}")
            time.sleep(0.02)

    def wait_for_updates(self, count):
        """False if the learner ended before."""
        self.wait_until(lambda: self.updates() >= count or self.learner.poll() is not None, f"update {count}")
        return self.learner.poll() is None

    def stop(self, number):
        """By a signal; True if the run had not ended by itself."""
        self.learner.send_signal(number)
        self.wait_until(lambda: self.learner.poll() is not None, f"the learner ends by signal {number}")
        status = self.learner.returncode
        if status not in (0, -number, STOPPED):
            raise Failure(f"{self.name}: the learner ended with {status} after signal {number}")
        return status != 0

    def finish(self):
        self.wait_until(lambda: self.learner.poll() is not None, "it has done all updates")
        if self.learner.returncode != 0:
            raise Failure(f"{self.name}: the learner ended with {self.learner.returncode}")

    def logs(self):
        return [*(self.folder / "logs").glob("*.log"), *self.processes.folder.glob("remote-*.log")]


class RemoteWorkers:
    """A generator and workers beside it that reach the learner over TCP."""

    def __init__(self, setting, processes, port):
        self.setting, self.processes, self.port = setting, processes, port
        self.endpoint = f"ipc://{processes.folder}/generator.sock"
        self.children = {}
        processes.start("generator", [setting.bin / "kgtrain-generator", "--model", setting.model, "--endpoint", self.endpoint,
                                      "--threads", "1", "--dtype", "float32"])

    def make_keys(self, names):
        for name in names:
            subprocess.run([self.setting.bin / "kgtrain-worker", "keys", "--out", self.processes.folder / "keys", "--worker", name],
                           check=True, stdout=subprocess.DEVNULL)

    def start(self, name, program="kgtrain-worker", more=()):
        self.children[name] = self.processes.start(
            f"remote-{name}",
            [self.setting.bin / program, "--connect", f"tcp://127.0.0.1:{self.port}", "--generator", self.endpoint, "--name", name,
             "--keys", self.processes.folder / "keys", "--key-name", name, "--weights-cache", self.processes.folder / "cache", *more])

    def expect_alive(self):
        dead = {name: child.returncode for name, child in self.children.items() if child.poll() is not None}
        if dead:
            raise Failure(f"remote workers ended: {dead}")

    def expect_end(self, seconds=60):
        """The run is over, and they were told so."""
        deadline = time.monotonic() + seconds
        for name, child in self.children.items():
            try:
                status = child.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise Failure(f"remote worker {name} hangs after the end of the run") from None
            if status != 0:
                raise Failure(f"remote worker {name} ended with {status}")
