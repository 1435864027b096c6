"""Writes corpus/gguf: small GGUF files of both versions with a value of every type and a tensor of every kind.

    python make_gguf.py corpus/gguf
"""
import struct
import sys
from pathlib import Path


def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def value(kind, payload):
    return struct.pack("<I", kind) + payload


def file(version, tensors):
    pairs = [
        ("general.architecture", value(8, text("llama"))),
        ("a.u8", value(0, b"\x07")), ("a.i8", value(1, b"\xff")), ("a.u16", value(2, b"\x01\x02")), ("a.i16", value(3, b"\x01\xff")),
        ("llama.block_count", value(4, struct.pack("<I", 2))), ("a.i32", value(5, struct.pack("<i", -2))),
        ("a.f32", value(6, struct.pack("<f", 1.5))), ("a.bool", value(7, b"\x01")), ("a.u64", value(10, struct.pack("<Q", 9))),
        ("a.i64", value(11, struct.pack("<q", -9))), ("a.f64", value(12, struct.pack("<d", 0.25))),
        ("a.texts", value(9, struct.pack("<IQ", 8, 2) + text("x") + text("yz"))),
        ("a.integers", value(9, struct.pack("<IQ", 5, 3) + struct.pack("<3i", 1, 2, 3))),
        ("a.numbers", value(9, struct.pack("<IQ", 6, 2) + struct.pack("<2f", 1, 2))),
    ]
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs))
    for key, v in pairs:
        head += text(key) + v
    offset, data = 0, b""
    for name, shape, kind, size in tensors:
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape) + struct.pack("<IQ", kind, offset)
        data += bytes(size) + bytes(-size % 32)
        offset = len(data)
    return head + bytes(-len(head) % 32) + data


folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
floats = [("token_embd.weight", [4, 3], 0, 48), ("norm", [4], 1, 8), ("b", [2], 30, 4)]
blocks = [("q4_0", [32, 2], 2, 36), ("q4_1", [32], 3, 20), ("q8_0", [32], 8, 34), ("q4_k", [256], 12, 144), ("q6_k", [256], 14, 210)]
(folder / "v3.gguf").write_bytes(file(3, floats + blocks))
(folder / "v2.gguf").write_bytes(file(2, floats))
(folder / "empty.gguf").write_bytes(file(3, []))
