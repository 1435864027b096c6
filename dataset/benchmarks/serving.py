"""Shared by the workers of all benchmarks: requests from `kgtrain`, frames back, and the state of a checkout.

A request is a frame (json_frame.py) with {"do": NAME, ...}; an answer is frames, each with the bytes of one tensor or with
none. The last frame of an answer has "done" or "error". The executed code is the benchmark's own: it can do what its user
can do.
"""

import hashlib
import importlib.util
import os
import pathlib
import resource
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True

import json_frame  # worker_process.cpp puts its folder on PYTHONPATH

MEMORY_SHARE = 0.8  # of the free memory, for one request
THREADS = 2  # for PyTorch: it determines the order of sums, so it is the same on every host
_requests, _answers = 0, 1  # descriptors


class NotACheckout(Exception):
    pass


class Unreadable(Exception):
    """A task or case that cannot be used, with the reason."""


def take_pipes():
    """Keeps the benchmark's output out of the answers, and gives it no input."""
    global _requests, _answers
    _requests, _answers = os.dup(0), os.dup(1)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)


def answer_to(descriptor):
    """For a cell, where answers have their own descriptor and printed text is kept separate."""
    global _answers
    _answers = descriptor


def send(header, data=b""):
    json_frame.write(_answers, header, data)


def say(text):
    print(text, file=sys.stderr, flush=True)


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bound_memory():
    """Makes an allocation that does not fit fail instead of bringing the machine down. Returns the bytes that may be added to
    what the process has: a share of what is free now."""
    free = next((int(line.split()[1]) << 10 for line in open("/proc/meminfo") if line.startswith("MemAvailable")), 0)
    if not free:
        return 0
    added = int(free * MEMORY_SHARE)
    held = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (held + added, resource.RLIM_INFINITY))
    return added


def is_out_of_memory(error):
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error)


def message_of(error, memory):
    if memory and is_out_of_memory(error):
        return f"out of memory: it may take {memory / 2**30:.1f} GiB, {MEMORY_SHARE:.0%} of what was free when it began"
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]


def serve(benchmark, check, make_worker, most=None, bound=False):
    """Answers requests, `most` of them or all: one {"do": NAME, ...} is a call of the worker's method do_NAME. `bound`: each
    may take only a share of the memory that is free when it begins."""
    try:
        check()
    except NotACheckout as error:
        send({"error": f"not a checkout of {benchmark}: {error}", "fatal": True})
        return
    worker = make_worker()
    explained = set()
    while most != 0 and (frame := json_frame.read(_requests)):
        most = most and most - 1
        started = time.monotonic()
        memory = bound_memory() if bound else 0
        try:
            request = frame[0]
            answer = getattr(worker, "do_" + request.pop("do"))(**request)
            send({**answer, "done": True, "seconds": time.monotonic() - started})
        except Unreadable as error:
            send({"error": str(error)})
        except Exception as error:
            message = message_of(error, memory)
            if message not in explained:
                say(traceback.format_exc())
            explained.add(message)
            send({"error": message})


def commit(root):
    """The commit of a clone of the benchmark itself, else empty."""
    done = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True)
    inside = subprocess.run(["git", "-C", root, "rev-parse", "--show-prefix"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 and not inside.stdout.strip() else ""


def content(root, parts):
    """SHA-256 over the names and bytes of all that is read, so that a checkout without .git can be identified as well."""
    digest = hashlib.sha256()
    root = pathlib.Path(root)
    for part in parts:
        for path in [root / part] if (root / part).is_file() else _files(root / part):
            digest.update(str(path.relative_to(root)).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files(folder):
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("answer", "__pycache__"))
        for name in sorted(files):
            yield pathlib.Path(where) / name
