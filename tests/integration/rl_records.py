"""What an RL run left behind, read with h5py and from its logs alone, and what must hold of it. For kill_rl.py."""
import collections
import json
import re

import h5py
import numpy

ACKNOWLEDGED = re.compile(r"work (\d+) sample (\d+) of (\S+) is durable")
SAMPLING_STREAM = 0x5A3C  # of the run's seed, as docs/reference/data-format.md has it


def philox(seed, stream, index):
    """Two words of Philox4x32-10 (Salmon et al., SC 2011) as one number of 64 bits."""
    c = [index & 0xFFFFFFFF, index >> 32, stream & 0xFFFFFFFF, stream >> 32]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        low, high = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(high >> 32) ^ c[1] ^ key[0], high & 0xFFFFFFFF, (low >> 32) ^ c[3] ^ key[1], low & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c[0] << 32 | c[1]


def text_column(segment, name):
    offsets, pool = segment[name + "_offsets"][:], segment[name + "_bytes"][:].tobytes()
    return [pool[offsets[i]:offsets[i + 1]].decode() for i in range(len(offsets) - 1)]


class Stored:
    """The rollouts of a data set by (run, work_id, sample)."""

    def __init__(self, path):
        self.count, self.rows = collections.Counter(), {}
        with h5py.File(path, "r") as file:
            for name in file["rollouts"]:
                self.read(file["rollouts"][name])

    def read(self, segment):
        texts = [text_column(segment, name) for name in ("run", "task", "prompt", "worker")]
        numbers = [segment[name][:] for name in ("work_id", "sample", "seed", "correct", "reward_valid")]
        for run, task, prompt, worker, work, sample, seed, correct, valid in zip(*texts, *numbers):
            key = (run, int(work), int(sample))
            self.count[key] += 1
            self.rows[key] = {"task": task, "prompt": prompt, "worker": worker, "seed": int(seed), "correct": bool(correct),
                              "valid": bool(valid)}

    def of_run(self, run):
        works = collections.defaultdict(dict)
        for (name, work, sample), row in self.rows.items():
            if name == run:
                works[work][sample] = row
        return works


def acknowledged(logs):
    """(run, work_id, sample) of every result that a worker's log calls durable."""
    found = set()
    for path in logs:
        for work, sample, run in ACKNOWLEDGED.findall(path.read_text(errors="replace")):
            found.add((run, int(work), int(sample)))
    return found


def metrics(folder):
    lines = []
    path = folder / "metrics.jsonl"
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            lines.append(json.loads(line))
        except ValueError:
            pass  # the last may be torn by a kill
    return lines


def wrong_updates(folder, run, stored, lives):
    """What is wrong with what each update trained on: its works must be those that its options draw, each complete, of one
    task, and trained on once. `lives`: (the step that a start of the run went on from, its options), in order."""
    works, used, draws, expected = stored.of_run(run), set(), 0, 0
    for line in metrics(folder):
        step = line["step"]
        expected += 1
        if step != expected:
            yield f"update {expected} is missing or comes twice: {step}"
            return
        options = [options for begin, options in lives if begin < step][-1]
        if len(line["works"]) != options["groups"]:
            yield f"update {step} trained on {len(line['works'])} groups"
        if line["staleness_max"] > options["staleness"]:
            yield f"update {step} trained on rollouts that were {line['staleness_max']} updates old"
        for work in line["works"]:
            draws += 1
            rows = works.get(work, {})
            if work in used:
                yield f"update {step}: work {work} was trained on before"
            used.add(work)
            if not set(rows) >= set(range(options["size"])):
                yield f"update {step}: work {work} has samples {sorted(rows)} alone"
            if len({(row["task"], row["prompt"]) for row in rows.values()}) > 1:
                yield f"update {step}: work {work} has rollouts of several tasks"
            if {row["seed"] for row in rows.values()} != {philox(options["seed"], SAMPLING_STREAM, draws)}:
                yield f"update {step}: work {work} is not the one that its options draw"


def report(folder, run, stored, logs, lives, steps):
    """Counts, and a list of everything that is wrong."""
    acked = {key for key in acknowledged(logs) if key[0] == run}
    held = {key for key in stored.rows if key[0] == run}
    lost = sorted(acked - held)
    twice = sorted(key for key in held if stored.count[key] > 1)
    wrong = list(wrong_updates(folder, run, stored, lives))
    last = max((line["step"] for line in metrics(folder)), default=0)
    problems = [f"lost: {lost}"] * bool(lost) + [f"twice: {twice}"] * bool(twice) + wrong
    if last != steps:
        problems.append(f"ended after update {last} of {steps}")
    if not acked:
        problems.append("nothing was acknowledged")
    counts = {"acknowledged": len(acked), "stored": len(held), "lost": len(lost), "twice": len(twice), "wrong": len(wrong)}
    return counts, problems


def sampler_against_trainer(folder):
    """Mean and largest difference of log-probabilities over all updates."""
    lines = [line for line in metrics(folder) if line["rollouts"] > 0]
    return (float(numpy.mean([line["log_prob_difference"] for line in lines])),
            max(line["log_prob_difference_max"] for line in lines))
