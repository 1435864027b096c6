#!/usr/bin/env python3
"""`kgtrain submit` on a real Slurm of this host: what preemption, cancelled and lost nodes, and scaling do to a run.

    slurm_test.py --bin FOLDER [--only rl|sft|eval|data|refusals] [--keep]

A run of `kgtrain rl` with four worker nodes loses two of them, its learner is preempted and requeued, a node is taken down and
the array is scaled up; it must end by itself with every acknowledged rollout stored once and all updates. An `sft` on two nodes and
an `eval` and a `data build` in three parts must give what one process gives. Refusals must have a named cause. The model is that of write_tiny_model, the
data set is made here. Exit status 77 (skipped) without Slurm or without root.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "integration"))
import one_host_slurm  # noqa: E402
import rl_records  # noqa: E402

SMALL = ["--threads", "1", "--dtype", "float32"]


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Setting:
    def __init__(self, binaries, folder, slurm):
        self.bin, self.folder, self.slurm = binaries, folder, slurm
        self.environment = dict(slurm.environment, KGTRAIN_HOME=str(folder / "home"), OMP_WAIT_POLICY="passive", KGTRAIN_LOG="debug")
        self.data, self.model = folder / "data.h5", folder / "model"
        self.steps = 120  # of rl: long enough for all that happens to it

    def kgtrain(self, *words, check=True):
        done = subprocess.run([str(self.bin / "kgtrain"), *map(str, words)], env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise Failure(f"kgtrain {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def prepare(self):
        self.kgtrain("data", "build", "--out", self.data, "--samples", "60", "--seed", "1", "--quiet")
        subprocess.run([str(self.bin / "write_tiny_model"), str(self.model)], check=True, env=self.environment,
                       stdout=subprocess.DEVNULL)

    def copy_of_data(self, name):
        path = self.folder / f"{name}.h5"
        self.kgtrain("data", "pack", self.data, "--out", path)
        return path

    def jobs_of(self, run):
        return json.loads((run / "submit" / "jobs.json").read_text())["jobs"]

    def job(self, run, part):
        return [job["id"] for job in self.jobs_of(run) if job["part"] == part][-1]

    def state(self, job):
        return {member: state for member, (state, _) in self.slurm.jobs(job).items()}

    def wait_for_end(self, run, seconds):
        status = run / "status.json"
        self.slurm.wait_until(lambda: status.exists() and json.loads(status.read_text())["state"] == "finished",
                              f"{run.name} has finished", seconds)


def updates(run):
    return len(rl_records.metrics(run))


def node_state(run, name):
    try:
        return json.loads((run / "nodes" / name / "node.json").read_text())
    except (OSError, ValueError):
        return {}


def report(title, numbers):
    print(f"{title}: {numbers}", flush=True)


def rl(setting):
    """Two workers cancelled, the learner preempted and requeued, a node down, the array scaled up."""
    slurm, run = setting.slurm, setting.folder / "rl"
    data, steps = setting.copy_of_data("rl-data"), setting.steps
    begin = time.monotonic()
    setting.kgtrain("submit", "rl", "--nodes", "4", "--workers-per-node", "2", "--time", "30", "--partition", "low", "--grace", "30",
                    "--out", run, "--data", data, "--model", setting.model, "--steps", steps, "--groups-per-step", "2",
                    "--group-size", "4", "--max-new-tokens", "16", "--staleness", "1", "--kl-weight", "0.1",
                    "--checkpoint-every", "3", "--lease-seconds", "60", *SMALL)
    nodes, learner = setting.job(run, "nodes"), setting.job(run, "learner")
    slurm.wait_until(lambda: updates(run) >= 3, "three updates", 240)
    expect(len([s for s in setting.state(nodes).values() if s == "RUNNING"]) >= 2, f"nodes: {setting.state(nodes)}")
    events = {}

    running = [member for member, state in sorted(setting.state(nodes).items()) if state == "RUNNING"]
    for member in running[:2]:
        slurm.run("scancel", member)
    events["cancelled"] = running[:2]
    at = updates(run)
    slurm.wait_until(lambda: updates(run) >= at + 2, "it goes on without two nodes", 240)

    # A job of a higher partition wants the learner's node alone: Slurm preempts the learner, whose script requeues it.
    host = slurm.jobs(learner)[learner][1]
    slurm.run("sbatch", "--partition=high", f"--nodelist={host}", "--exclusive", "--time=5", "--output=/dev/null", "--wrap=sleep 20")
    slurm.wait_until(lambda: slurm.jobs(learner)[learner][0] == "PENDING", "the learner was preempted and requeued", 120)
    status = json.loads((run / "status.json").read_text())
    expect(status["state"] == "stopped", f"the learner did not end by itself: {status}")
    at = events["stopped at update"] = status["step"]

    others = [node for state, node in slurm.jobs(nodes).values() if state == "RUNNING" and node != host]
    expect(others, f"no node left to take down: {slurm.jobs()}")
    slurm.run("scontrol", "update", f"NodeName={others[0]}", "State=DOWN", "Reason=test")
    events["down"] = others[0]
    setting.kgtrain("submit", "scale", run, "--nodes", "6")
    slurm.wait_until(lambda: slurm.jobs(learner)[learner][0] == "RUNNING", "the learner runs again", 400)
    slurm.wait_until(lambda: updates(run) >= at + 2, "it goes on after preemption", 400)
    expect((run / "logs" / "learner" / "latest").resolve().name == "attempt-1", "no log of the second attempt")
    shown = setting.kgtrain("status", run).stdout
    expect("node-" in shown, f"status shows no nodes: {shown}")
    setting.wait_for_end(run, 900)
    slurm.wait_until(lambda: all(state in ("COMPLETED", "CANCELLED") for job in setting.jobs_of(run)
                                 for state in setting.state(job["id"]).values()), "all jobs have ended", 420)
    options = {"groups": 2, "size": 4, "seed": 1, "staleness": 1}
    counts, problems = rl_records.report(run, json.loads((run / "config.json").read_text())["run_id"], rl_records.Stored(data),
                                         [*run.glob("nodes/*/logs/*.log")], [(0, options)], steps)
    expect(not problems, "\n".join(problems))
    setting.kgtrain("report", run)
    for name in range(6):
        slurm.run("scontrol", "update", f"NodeName=n{name + 1}", "State=RESUME", check=False)
    report("rl", {**events, "updates": updates(run), **counts, "seconds": round(time.monotonic() - begin)})


def sft(setting):
    """Two learners, one a node, are one."""
    import numpy
    from safetensors_numpy import tensors

    words = ["--data", setting.data, "--model", setting.model, "--steps", "12", "--batch-tokens", "16000", "--sequence-length", "8000",
             "--learning-rate", "2e-4", *SMALL]
    one, two = setting.folder / "sft-one", setting.folder / "sft-two"
    setting.kgtrain("sft", "--out", one, *words)
    setting.kgtrain("submit", "sft", "--nodes", "2", "--time", "10", "--out", two, *words)
    setting.wait_for_end(two, 240)
    a, b = (tensors(run / "model" / "model.safetensors") for run in (one, two))
    largest = max(float(numpy.abs(a[name] - b[name]).max()) for name in a)
    expect(len(a) == len(b) and largest < 1e-6, f"weights differ by {largest}")
    base = tensors(setting.model / "model.safetensors")
    moved = max(float(numpy.abs(a[name] - base[name]).max()) for name in a)
    expect(moved > 1e-4, "nothing was learned")
    report("sft", {"largest difference": largest, "largest change by training": moved})


def evaluation(setting):
    """Three parts, joined, are the evaluation of one process."""
    words = ["--model", setting.model, "--split", "train", "--tasks", "7", "--samples", "2", "--workers", "1", "--max-new-tokens", "16",
             "--label", "it", *SMALL]
    one, joined = setting.folder / "eval-one", setting.folder / "eval-joined"
    setting.kgtrain("eval", "--data", setting.copy_of_data("eval-one-data"), "--out", one, *words)
    data = setting.copy_of_data("eval-data")
    setting.kgtrain("submit", "eval", "--nodes", "3", "--time", "10", "--data", data, "--out", joined, *words)
    setting.wait_for_end(joined, 300)

    def result(run):
        tables = json.loads((run / "eval.json").read_text())
        record = tables.pop("record")
        return tables, record["weights_hash"], record["tasks_hash"]

    expect(result(one) == result(joined), f"{result(one)} against {result(joined)}")
    stored = [rl_records.Stored(path) for path in (setting.folder / "eval-one-data.h5", data)]
    expect([len(one.rows) for one in stored] == [14, 14], f"rows: {[len(one.rows) for one in stored]}")
    report("eval", {"tables": "equal", "answers": len(stored[1].rows)})


def data(setting):
    """A data set built in three parts is that of one process."""
    joined = setting.folder / "built" / "joined.h5"
    setting.kgtrain("submit", "data", "--nodes", "3", "--time", "20", "--samples", "60", "--seed", "1", "--jobs", "1", "--out", joined)
    record = setting.folder / "built" / "joined-build" / "submit" / "jobs.json"
    jobs = [job["id"] for job in json.loads(record.read_text())["jobs"]]
    setting.slurm.wait_until(lambda: all(state == "COMPLETED" for job in jobs for state in setting.state(job).values()) and joined.exists(),
                             "the data set is built", 600)
    content = [setting.kgtrain("data", "info", path, "--hash").stdout.rsplit("content ", 1)[1] for path in (setting.data, joined)]
    expect(content[0] == content[1], f"content {content}")
    report("data", {"content": content[0].strip()})


def refusals(setting):
    """What Slurm refuses, and what would only fail in the queue, has a named cause."""
    run = setting.folder / "refused"
    rl = ["submit", "rl", "--out", run, "--data", setting.data, "--model", setting.model]
    for words, cause in [(["--partition", "lwo"], "did you mean low?"),
                         (["--time", "99:00:00"], "the time is more than the partition allows"),
                         (["--nodes", "70"], "MaxArraySize"),
                         (["--gpus", "4"], "no such GPUs"),
                         (["--step", "7"], "--steps"),
                         (["--qos", "none", "--account", "nobody", "--sbatch=--nosuch"], "unrecognized option")]:
        done = setting.kgtrain(*rl, *([] if "--time" in words else ["--time", "30"]), *words, check=False)
        expect(done.returncode in (1, 2) and cause in done.stderr, f"{words}: {done.returncode} {done.stderr}")
        setting.kgtrain("submit", "cancel", run, check=False)  # a learner whose nodes were refused
    done = setting.kgtrain(*rl, "--dry-run")
    for part in ("learner.sh", "nodes.sh", "sbatch --parsable", "--resume", "scontrol requeue"):
        expect(part in done.stdout, f"--dry-run does not show {part}")
    expect(not (setting.folder / "dry").exists(), "--dry-run began a run")
    report("refusals", "each has a cause")


PARTS = {"refusals": refusals, "sft": sft, "eval": evaluation, "data": data, "rl": rl}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--only", choices=list(PARTS))
    parser.add_argument("--keep", action="store_true", help="leave the folder with all logs")
    arguments = parser.parse_args()
    if lacking := one_host_slurm.missing():
        print(f"skipped: {lacking}")
        return 77
    folder, good = pathlib.Path(tempfile.mkdtemp(prefix="kgslurm")), False
    try:
        with one_host_slurm.OneHostSlurm(folder / "slurm", nodes=6) as slurm:
            setting = Setting(arguments.bin.resolve(), folder, slurm)
            setting.prepare()
            for name, part in PARTS.items():
                if arguments.only in (None, name):
                    part(setting)
        good = True
    except (Failure, RuntimeError) as failure:
        print(f"WRONG: {failure}")
    if good and not arguments.keep:
        shutil.rmtree(folder)
    else:
        print(f"its files are kept in {folder}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
