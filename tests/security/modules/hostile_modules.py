"""Modules that want more than to be computed with, sent to a `kgtrain serve`: each must be refused, within its bounds, and the
service must go on as if nothing had been.

    hostile_modules.py KGTRAIN [WORD...]

WORD: only the attacks whose name holds one of them. The bounds of seconds grow with the load of the machine, up to 16 times.
Wants a Python with PyTorch as the one that runs this. Exit status 0: all was as it should be.
"""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python" / "src"))

import kgtrain

GOOD = """
import torch
def relu(x):
    return torch.relu(x)
inputs = [torch.randn(64, 128)]
"""
KERNEL = "__global__ __aicore__ void custom_op() {}"
SECONDS, MEGABYTES = 40, 1500

# Name, text, what the refusal says. {port}: of a listener that must hear nothing; {file}: a file that must not be read or written.
HOSTILE = [
    ("opens a socket", "import socket\nsocket.create_connection(('127.0.0.1', {port}), 5)", "Operation not permitted"),
    ("reads a file of the host", "open('{file}').read()", "No such file"),
    ("reads the accounts", "open('/etc/passwd').read()", "No such file"),
    ("reads the service's memory", "import os\nopen(f'/proc/{{os.getppid()}}/environ').read()", "No such file"),
    ("looks for secrets in its environment", "import os\nraise ValueError(sorted(set(os.environ) - {{'LC_CTYPE'}}))", "ValueError: \\[\\]"),
    ("writes beside itself", "open(__file__, 'a').write('x')", "Read-only|Permission|Operation not permitted"),
    ("writes to /tmp", "open('/tmp/x', 'w')", "No such file|Read-only|Permission"),
    ("forks", "import os\nos.fork()", "Operation not permitted|PermissionError"),
    ("starts a program", "import subprocess\nsubprocess.run(['/usr/bin/python3'])", "Error"),
    ("signals everybody", "import os\nfor who in (-1, 1, os.getppid()):\n    try: os.kill(who, 9)\n    except OSError: pass\nos._exit(3)",
     "interpreter exited|interpreter was killed"),
    ("traces", "import ctypes\nif ctypes.CDLL(None).ptrace(16, 1, 0, 0) < 0: raise OSError('no ptrace')", "no ptrace"),
    ("takes memory", "x = [bytearray(1 << 28) for _ in range(1000)]", "MemoryError|interpreter exited|interpreter was killed"),
    ("takes memory behind a file", "import os\nos.memfd_create('x')", "Operation not permitted|PermissionError"),
    ("never ends", "while True: pass", "takes longer"),
    ("sleeps", "import time\ntime.sleep(10**6)", "takes longer"),
    ("ends the interpreter", "import os\nos._exit(0)", "interpreter exited|interpreter was killed"),
    ("crashes", "import ctypes\nctypes.string_at(0)", "signal"),
    ("prints without end", "import sys\nwhile True: sys.stdout.write('x' * 65536)", "takes longer"),
]
# What it writes in place of an answer. The frame is built as json_frame.py builds it.
FRAMES = """
import json, os, struct
def frame(header, data=b''):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    os.write(3, struct.pack('<QI', 4 + len(text) + len(data), len(text)) + text + data)
def spec(shape, dtype='float32', name='x'):
    return {'name': name, 'kind': 'REQUIRED', 'dtype': dtype, 'shape': shape}
def case(inputs, outputs, **more):
    checked = [{'outputs': [i], 'dtype': o['dtype'], 'shape': o['shape'], 'golden': {'dtype': 'float64', 'shape': o['shape']}}
               for i, o in enumerate(outputs)]
    return {'inputs': inputs, 'outputs': outputs, 'attributes': [], 'checked': checked, 'check': {'name': 'fp64'}, 'seed': 1,
            'label': '', 'notes': [], **more}
def done(cases, **more):
    frame({'done': True, 'name': 'x', 'entry_point': 'custom_op', 'block_dim': 48, 'cases': cases, 'prompt_short': '', **more})
    os._exit(0)
"""
FORGED = [
    ("says that the host is at fault", "frame({'error': 'no disk', 'host': True})", "no disk"),
    ("sends no JSON", "frame(b'{')", "malformed"),
    ("sends a header longer than its frame", "os.write(3, struct.pack('<QI', 4, 1000) + b'x' * 20)", "malformed|ended"),
    ("promises more bytes than may come", "os.write(3, struct.pack('<QI', 1 << 62, 10) + b'x' * 100)\nimport time\ntime.sleep(9)", "too large"),
    ("sends frames without end", "while True: frame({'case': 0, 'role': 'input', 'index': 0, 'dtype': 'int8', 'shape': [1 << 20]}, b'x' * (1 << 20))", "too large|malformed"),
    ("has no cases", "done([])", "malformed"),
    ("has no tensors", "done([case([spec([4])], [spec([4])])])", "malformed"),
    ("has a tensor without end", "done([case([spec([1 << 40, 1 << 40])], [spec([4])])])", "malformed"),
    ("has a negative extent", "done([case([spec([-4])], [spec([4])])])", "malformed"),
    ("has a type that no device has", "done([case([spec([4], 'complex64')], [spec([4], 'float64')])])", "malformed"),
    ("has a tensor of a case that does not exist",
     "frame({'case': 7, 'role': 'input', 'index': 0, 'dtype': 'int8', 'shape': [1]}, b'x')\ndone([case([spec([4])], [spec([4])])])", "malformed"),
    ("has a tensor far behind the last",
     "frame({'case': 0, 'role': 'golden64', 'index': 4000000000, 'dtype': 'float64', 'shape': [1]}, b'12345678')\ndone([case([spec([4])], [spec([4])])])",
     "malformed"),
    ("has another kernel name", "done([case([spec([4])], [spec([4])])], entry_point='x(); system')", "malformed"),
    ("has other fields", "frame({'done': True})", "malformed"),
    ("has texts for numbers", "done([case([spec(['4'])], [spec([4])])], block_dim='many')", "malformed"),
]


def start(program, folder):
    data = folder / "tasks.h5"
    subprocess.run([program, "data", "build", "--out", data, "--samples", "1", "--seed", "1"], check=True, capture_output=True)
    service = subprocess.Popen([program, "serve", "--data", data, "--port", "0", "--jobs", "2", "--python", sys.executable,
                                "--module-seconds", str(SECONDS), "--module-megabytes", str(MEGABYTES)],
                               stdout=subprocess.PIPE, text=True, env={**os.environ, "KGTRAIN_SECRET": "hidden"})
    found = re.search(r"http://[0-9.:]+", service.stdout.readline())
    if not found:
        sys.exit("the service does not start")
    return service, found[0]


def judge(client, module):
    try:
        return client.judge(module=module, kernel=KERNEL)
    except kgtrain.Refused as refused:
        return refused


def failures(client, service, attacks):
    """What goes otherwise than it should."""
    for what, text, words in attacks:
        began = time.monotonic()
        given = judge(client, text + GOOD)
        good = isinstance(given, kgtrain.Refused) and given.status == 422 and re.search(words, str(given))
        print(f"{'ok   ' if good else 'WRONG'} {what}: {given} ({time.monotonic() - began:.1f} s)", flush=True)
        if not good:
            yield what
    given = judge(client, GOOD)
    if not (isinstance(given, kgtrain.Verdict) and given.sandbox_error is None and given.stage == "compile"):
        yield f"a good module afterwards: {given}"
    if client.health()["status"] != "good" or service.poll() is not None:
        yield "the service is not well"
    before = modules_running()
    # The service is killed while a module runs: the module must not outlive it.
    threading.Thread(target=lambda: judge_and_be_lost(client), daemon=True).start()
    while not (begun := modules_running() - before):
        time.sleep(0.1)
    service.kill()
    service.wait()
    until = time.monotonic() + 20
    while modules_running() & begun and time.monotonic() < until:
        time.sleep(0.1)
    if left := modules_running() & begun:
        yield f"processes outlive the service: {left}"


def modules_running():
    return set(subprocess.run(["pgrep", "-f", "confined.py"], capture_output=True, text=True).stdout.split())


def judge_and_be_lost(client):
    try:
        client.judge(module="import time\ntime.sleep(10**6)" + GOOD, kernel=KERNEL, timeout=5)
    except kgtrain.KgtrainError:
        pass


def main():
    heard = []
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=lambda: heard.append(listener.accept()), daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        secret = folder / "secret"
        secret.write_text("do not read")
        attacks = [(what, text.format(port=listener.getsockname()[1], file=secret), words) for what, text, words in HOSTILE]
        # As one statement: a file with further functions is refused before any of it runs.
        attacks += [(what, f"exec({FRAMES + text!r})\n", words) for what, text, words in FORGED]
        attacks = [attack for attack in attacks if not sys.argv[2:] or any(word in attack[0] for word in sys.argv[2:])]
        service, url = start(sys.argv[1], folder)
        try:
            wrong = list(failures(kgtrain.Client(url, token="", timeout=20 * SECONDS), service, attacks))
        finally:
            service.kill()
            service.wait()
        if heard:
            wrong.append("somebody was called")
        if secret.read_text() != "do not read":
            wrong.append("a file was changed")
    print("\n".join(wrong) if wrong else f"{len(attacks)} hostile modules are refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
