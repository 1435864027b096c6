"""Speaks to `kgtrain-sandbox serve`: the few messages of proto/sandbox.proto that are needed here, and its framing.

Protocol Buffers are written by hand (varints and length-delimited fields), so that nothing but Python is needed; the
checksum of a frame is XXH3, which the library has that kgtrain itself links.
"""

import ctypes
import os
import socket
import struct
import subprocess

DTYPES = {"FLOAT": 1, "FLOAT16": 2, "BF16": 3, "INT8": 4, "UINT8": 5, "INT16": 6, "UINT16": 7, "INT32": 8,
          "UINT32": 9, "INT64": 10, "UINT64": 11, "BOOL": 12, "DOUBLE": 13, "COMPLEX64": 14}
SIZES = {1: 4, 2: 2, 3: 2, 4: 1, 5: 1, 6: 2, 7: 2, 8: 4, 9: 4, 10: 8, 11: 8, 12: 1, 13: 8, 14: 8}
KINDS = {"required": 0, "optional": 1, "dynamic": 2}


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """One field: an integer, a float (as double), text, bytes, or a list of any of them."""
    if isinstance(value, list):
        return b"".join(field(number, one) for one in value)
    if isinstance(value, (bool, int)):
        return varint(number << 3) + varint(int(value))
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(data):
    """The fields of a message as {number: [values]}; what is inside a value is left as bytes."""
    found, at = {}, 0

    def number():
        nonlocal at
        result = shift = 0
        while True:
            byte = data[at]
            at += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    while at < len(data):
        key = number()
        kind = key & 7
        if kind == 0:
            value = number()
        else:
            size = {1: 8, 5: 4}.get(kind) or number()
            value = data[at:at + size]
            at += size
        found.setdefault(key >> 3, []).append(value)
    return found


def packed(numbers):
    return b"".join(varint(one) for one in numbers)


def tensor(name, dtype, shape, data=b"", kind="required", absent=False):
    text = field(1, name) + field(2, dtype) + field(3, packed(shape))
    return text + field(4, data) + field(5, KINDS[kind]) + field(6, absent)


def output_spec(name, dtype, shape, kind="required", fill=None):
    """`fill`: what the output holds before the kernel runs; otherwise it is poisoned."""
    text = field(1, name) + field(2, dtype) + field(3, packed(shape)) + field(5, KINDS[kind])
    return text if fill is None else text + field(4, field(1, 3) + field(2, float(fill)))


def attribute(name, value):
    if isinstance(value, bool):
        said = field(2, value)
    elif isinstance(value, int):
        said = field(3, value)
    elif isinstance(value, float):
        said = field(4, value)
    elif isinstance(value, str):
        said = field(5, value)
    elif any(isinstance(one, float) for one in value):
        said = field(8, field(1, b"".join(struct.pack("<d", one) for one in value)))
    else:
        said = field(7, field(1, packed(value)))
    return field(1, name) + said


def run_case(inputs, outputs, attributes=(), block_dim=0):
    return field(1, list(inputs)) + field(2, list(outputs)) + field(3, list(attributes)) + field(4, block_dim)


def request(entry_point, source="", project=None, cases=(), block_dim=1, run_seconds=0.0):
    limits = field(1, 60.0) + (field(2, float(run_seconds)) if run_seconds else b"")
    files = [field(1, path) + field(2, text) for path, text in (project or {}).items()]
    return (field(1, source) + field(3, entry_point) + field(4, block_dim) + field(6, list(cases)) + field(7, limits) +
            field(10, files))


class CaseResult:
    def __init__(self, data):
        found = fields(data)
        self.ran = bool(found.get(1, [0])[0])
        self.outputs = [fields(one).get(4, [b""])[0] for one in found.get(2, [])]
        self.cycles = found.get(3, [0])[0]
        self.faults = []
        for one in found.get(4, []):
            fault = fields(one)
            self.faults.append((fault.get(1, [b""])[0].decode(), bool(fault.get(2, [0])[0]),
                                fault.get(3, [b""])[0].decode()))


class Result:
    def __init__(self, data):
        found = fields(data)
        self.compiled = bool(found.get(2, [0])[0])
        self.output = found.get(3, [b""])[0].decode()
        self.cases = [CaseResult(one) for one in found.get(5, [])]
        self.sandbox_error = found.get(6, [b""])[0].decode()


class Sandbox:
    """One kgtrain-sandbox process; started again after it died."""

    def __init__(self, program, cache=""):
        self.command = [program, "serve"]
        self.cache = cache
        self.xxhash = ctypes.CDLL("libxxhash.so.0")
        self.xxhash.XXH3_64bits.restype = ctypes.c_uint64
        self.xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        self.socket = None

    def start(self):
        ours, theirs = socket.socketpair()
        command = self.command + ["--descriptor", str(theirs.fileno())]
        if self.cache:
            command += ["--cache", self.cache]
        subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                         env=dict(os.environ, KGTRAIN_LOG="error"))
        theirs.close()
        self.socket = ours

    def ask(self, message):
        if self.socket is None:
            self.start()
        checksum = self.xxhash.XXH3_64bits(message, len(message)) & 0xFFFFFFFF
        self.socket.sendall(struct.pack("<II", len(message), checksum) + message)
        size, _ = struct.unpack("<II", self._exactly(8))
        return Result(self._exactly(size))

    def _exactly(self, size):
        data = bytearray()
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                self.socket = None
                raise SystemExit("kgtrain-sandbox ended during a request; look at its messages above")
            data += part
        return bytes(data)

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None
