#!/usr/bin/env python3
"""An RL run over four hosts that are network namespaces, with 20 ms of delay, 1 % loss and 100 Mbit/s between them.

    netns_test.py --bin FOLDER [--data FILE] [--keep] [--cut SECONDS]

The learner is on host 1, `kgtrain node` on hosts 2 to 4. The network is cut for a minute; the learner is killed and goes on on host 2; peers
without a key of the run get no word in; a rogue worker on host 4 forges 5 % of its verdicts and is found by the spot checks. The run
must end by itself, every acknowledged rollout stored once. Exit status 77 (skipped) where namespaces or TUN devices are missing.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "integration")]
import lossy_network  # noqa: E402
import rl_records  # noqa: E402
from lossy_network import address  # noqa: E402

STEPS = 100000  # until the liar is found; the last life of the learner is told how many
SMALL = ["--threads", "1", "--dtype", "float32"]


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Hosts:
    def __init__(self, arguments, folder, network):
        self.bin, self.folder, self.network = arguments.bin.resolve(), folder, network
        self.run, self.data, self.model = folder / "run", folder / "data.h5", folder / "model"
        self.children, self.lives = {}, []

    def environment(self, host):
        return dict(os.environ, KGTRAIN_HOME=str(self.folder / f"home{host}"), KGTRAIN_LOG="debug", OMP_WAIT_POLICY="passive")

    def start(self, name, host, *words):
        with open(self.folder / f"{name}.log", "ab") as log:
            self.children[name] = subprocess.Popen(self.network.command(host, words), env=self.environment(host), stdin=subprocess.DEVNULL,
                                                   stdout=log, stderr=log, start_new_session=True)
        return self.children[name]

    def call(self, *words):
        subprocess.run([str(word) for word in words], check=True, env=self.environment(1), stdout=subprocess.DEVNULL)

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def start_learner(self, host, steps):
        options = {"groups": 2, "size": 4, "seed": 1, "staleness": 1}
        self.lives.append((self.checkpoint(), options))
        return self.start("learner", host, self.bin / "kgtrain", "rl", "--out", self.run, "--resume", "--data", self.data, "--model",
                          self.model, "--workers", "0", "--bind", f"tcp://{address(host)}:0", "--steps", steps, "--groups-per-step", "2",
                          "--group-size", "4", "--staleness", "1", "--max-new-tokens", "16", "--kl-weight", "0.1", "--checkpoint-every",
                          "3", *SMALL)

    def start_node(self, host):
        return self.start(f"node{host}", host, self.bin / "kgtrain", "node", "--run", self.run, "--workers", "2", "--name",
                          f"node-{host}", "--key-name", f"node-{host}", "--threads", "1", "--worker-option=--fetch-weights")

    def checkpoint(self):
        steps = [int(path.name.split("-")[1]) for path in (self.run / "checkpoints").glob("step-[0-9]*") if (path / "state.json").exists()]
        return max(steps, default=0)

    def updates(self):
        return len(rl_records.metrics(self.run))

    def status(self):
        return json.loads((self.run / "status.json").read_text())

    def wait_until(self, condition, what, seconds):
        deadline = time.monotonic() + seconds
        while not condition():
            dead = {name: child.returncode for name, child in self.children.items() if child.poll() not in (None, 0)}
            if dead:
                raise Failure(f"while waiting until {what}: {dead}")
            if time.monotonic() > deadline:
                raise Failure(f"waited {seconds} s until {what}; {self.status()}")
            time.sleep(0.1)

    def kill_learner(self):
        child = self.children.pop("learner")
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def end(self):
        for child in self.children.values():
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def round_trip(network):
    """Milliseconds, the least of some round trips over a connection that stands."""
    server = subprocess.Popen(network.command(2, ["python3", "-c", "import socket\ns = socket.create_server(('0.0.0.0', 7))\n"
                                                  "c, _ = s.accept()\nwhile d := c.recv(64): c.sendall(d)"]))
    time.sleep(1)
    code = (f"import socket, time\ns = socket.create_connection(('{address(2)}', 7))\nbest = 9\nfor _ in range(10):\n t = time.time()\n"
            " s.sendall(b'x')\n s.recv(1)\n best = min(best, time.time() - t)\nprint(best)")
    done = subprocess.run(network.command(1, ["python3", "-c", code]), capture_output=True, text=True, check=True)
    server.wait(timeout=10)
    return float(done.stdout) * 1000


def cut(hosts, seconds):
    """No result of the three nodes arrives for a while; then the same workers go on."""
    hosts.network.cut([1])
    at, begin = hosts.updates(), time.monotonic()
    time.sleep(seconds)
    during = hosts.updates() - at
    hosts.network.cut([])
    at = hosts.updates()
    hosts.wait_until(lambda: hosts.updates() >= at + 3, "it goes on after the cut", 180)
    expect(during <= 3, f"{during} updates were made without a network")
    return {"cut": f"{seconds} s", "updates meanwhile": during, "three more after": f"{time.monotonic() - begin - seconds:.0f} s"}


def move(hosts, steps):
    """The learner's host is lost; it goes on on another, which has another address."""
    hosts.kill_learner()
    begin, at = time.monotonic(), hosts.updates()
    hosts.start_learner(2, steps)
    where = hosts.run / "coordinator.json"
    hosts.wait_until(lambda: json.loads(where.read_text())["host"] == "host2", "it is on host 2", 120)
    found = time.monotonic() - begin
    hosts.wait_until(lambda: rl_records.metrics(hosts.run) and hosts.updates() >= hosts.lives[-1][0] + 3, "it goes on on host 2", 180)
    return {"stopped at": at, "listens again after": f"{found:.0f} s", "three updates after": f"{time.monotonic() - begin:.0f} s"}


def strangers(hosts):
    """Without a key of the run nobody gets a word in."""
    endpoint = json.loads((hosts.run / "coordinator.json").read_text())["remote_endpoint"]
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    code = (f"import socket\ns = socket.create_connection(('{host}', {port}))\ns.sendall(b'\\xff' + bytes(8) + b'\\x7f\\x03\\x00NULL' + bytes(48))\n"
            "s.sendall(b'\\x04\\x19\\x05READY' + bytes(18))\ns.settimeout(5)\ngot = b''\ntry:\n while d := s.recv(4096): got += d\n"
            "except OSError: pass\nprint(len(got))")
    done = subprocess.run(hosts.network.command(3, ["python3", "-c", code]), capture_output=True, text=True, check=True)
    expect(int(done.stdout) <= 64 + 96, f"without CURVE {done.stdout.strip()} bytes came back")
    hosts.call(hosts.bin / "kgtrain-worker", "keys", "--out", hosts.folder / "foreign", "--worker", "stranger")
    shutil.copy(hosts.run / "keys" / "server.pub", hosts.folder / "foreign" / "server.pub")
    results = hosts.status().get("results", 0)
    stranger = hosts.start("stranger", 3, hosts.bin / "kgtrain-worker", "--connect", endpoint, "--generator", "ipc:///nowhere", "--name",
                           "stranger", "--keys", hosts.folder / "foreign", "--key-name", "stranger", "--give-up-seconds", "15")
    stranger.wait(timeout=60)
    del hosts.children["stranger"]
    expect(stranger.returncode == 1 and "no word from the coordinator" in hosts.log("stranger"), hosts.log("stranger"))
    expect("its key is not in allowed_workers" in hosts.log("learner"), "the learner does not say that it refused a key")
    expect("worker stranger joined" not in hosts.log("learner"), "the stranger joined")
    hosts.wait_until(lambda: hosts.status().get("results", 0) > results, "the others work on", 60)
    return {"refused": "no CURVE, foreign key"}


def liar(hosts):
    endpoint = json.loads((hosts.run / "coordinator.json").read_text())["remote_endpoint"]
    hosts.call(hosts.bin / "kgtrain-worker", "keys", "--out", hosts.run / "keys", "--worker", "liar")
    generator = f"ipc://{hosts.folder}/liar.sock"
    sampler = hosts.start("liar-generator", 4, hosts.bin / "kgtrain-generator", "--model", hosts.model, "--endpoint", generator, *SMALL)
    child = hosts.start("liar", 4, hosts.bin / "rollout_lying_worker", "--connect", endpoint, "--generator", generator, "--name", "liar",
                        "--keys", hosts.run / "keys", "--key-name", "liar", "--weights-cache", hosts.folder / "liar-cache", "--forge", "0.05",
                        "--seed", "7")
    del hosts.children["liar"]
    hosts.wait_until(lambda: child.poll() is not None, "the liar is found", 300)
    del hosts.children["liar-generator"]
    sampler.kill()
    sampler.wait()
    expect((hosts.run / "refused_workers").exists(), "its key was not refused")
    results = int(re.findall(r"result (\d+) of this worker", hosts.log("liar"))[-1])
    expect(results <= 200, f"the liar was found after {results} results only")
    return {"liar found after results": results}


def scenario(hosts, arguments):
    numbers = {"round trip": f"{round_trip(hosts.network):.0f} ms"}
    if arguments.data:
        hosts.call(hosts.bin / "kgtrain", "data", "pack", arguments.data, "--out", hosts.data)
    else:
        hosts.call(hosts.bin / "kgtrain", "data", "build", "--out", hosts.data, "--samples", "60", "--seed", "1", "--quiet")
    hosts.call(hosts.bin / "write_tiny_model", hosts.model)
    for host in (2, 3, 4):
        hosts.call(hosts.bin / "kgtrain-worker", "keys", "--out", hosts.run / "keys", "--worker", f"node-{host}")
    hosts.start_learner(1, STEPS)
    for host in (2, 3, 4):
        hosts.start_node(host)
    hosts.wait_until(lambda: (hosts.run / "status.json").exists() and hosts.updates() >= 5, "five updates", 180)
    nodes = hosts.status()["nodes"]
    expect(sorted(nodes) == ["node-2", "node-3", "node-4"], f"nodes: {nodes}")
    numbers |= cut(hosts, arguments.cut)
    numbers |= strangers(hosts)
    numbers |= move(hosts, STEPS)
    numbers |= liar(hosts)
    hosts.kill_learner()
    steps = hosts.checkpoint() + 6
    hosts.start_learner(3, steps)
    nodes = [hosts.children[f"node{host}"] for host in (2, 3, 4)]
    hosts.wait_until(lambda: all(child.poll() is not None for child in [hosts.children["learner"], *nodes]), "all have ended", 240)
    run_id = json.loads((hosts.run / "config.json").read_text())["run_id"]
    logs = [*hosts.run.glob("nodes/*/logs/*.log"), hosts.folder / "liar.log"]
    counts, problems = rl_records.report(hosts.run, run_id, rl_records.Stored(hosts.data), logs, hosts.lives, steps)
    expect(not problems, "\n".join(problems))
    print(json.dumps({**numbers, "updates": hosts.updates(), **counts}, indent=1), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--data", help="data set with tasks, which is copied; otherwise one is built")
    parser.add_argument("--cut", type=float, default=60, help="seconds without a network")
    parser.add_argument("--keep", action="store_true", help="leave the folder with all logs")
    arguments = parser.parse_args()
    if lacking := lossy_network.missing():
        print(f"skipped: {lacking}")
        return 77
    folder, good = pathlib.Path(tempfile.mkdtemp(prefix="kgnet")), False
    with lossy_network.LossyNetwork(folder) as network:
        hosts = Hosts(arguments, folder, network)
        try:
            scenario(hosts, arguments)
            good = True
        except (Failure, subprocess.TimeoutExpired) as failure:
            print(f"WRONG: {failure}")
        finally:
            hosts.end()
    if good and not arguments.keep:
        shutil.rmtree(folder)
    else:
        print(f"its files are kept in {folder}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
