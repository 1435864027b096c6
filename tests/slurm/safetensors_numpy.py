"""Reads a safetensors file of float32 with numpy alone."""
import json
import pathlib

import numpy


def tensors(path):
    data = pathlib.Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            raise ValueError(f"{name} is {entry['dtype']}")
        begin, end = entry["data_offsets"]
        found[name] = numpy.frombuffer(data[8 + size + begin:8 + size + end], dtype="<f4").reshape(entry["shape"])
    return found
