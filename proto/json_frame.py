"""Frames between kgtrain and its Python processes: docs/design/python-pipes.md, json_frame.h.

A frame is uint64 length of what follows, uint32 length of a JSON object, the object, and raw bytes that it describes;
numbers are little-endian.
"""

import json
import os
import struct

LARGEST_PART = 1 << 24  # bytes of one read


def read(descriptor):
    """The header and its payload as a memoryview, or None at the end of the stream."""
    front = _read_exactly(descriptor, 12)
    if front is None:
        return None
    rest, header_size = struct.unpack("<QI", front)
    body = _read_exactly(descriptor, rest - 4)
    if body is None:
        return None
    return json.loads(bytes(body[:header_size])), body[header_size:]


def write(descriptor, header, *payload):
    """`payload`: what follows the header, as objects that hold bytes."""
    text = json.dumps(header).encode()
    parts = [memoryview(part).cast("B") for part in payload if len(part)]
    rest = 4 + len(text) + sum(len(part) for part in parts)
    for part in [memoryview(struct.pack("<QI", rest, len(text)) + text), *parts]:
        while len(part):
            part = part[os.write(descriptor, part):]


def _read_exactly(descriptor, size):
    view = memoryview(bytearray(size))
    got = 0
    while got < size:
        part = os.readv(descriptor, [view[got:got + LARGEST_PART]])
        if part == 0:
            return None
        got += part
    return view
