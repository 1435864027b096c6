"""Reads and writes the tables of a data set (docs/reference/data-format.md) without kgtrain."""

import json

import h5py
import numpy

NUMPY_TYPES = {"FLOAT32": numpy.float32, "INT32": numpy.int32, "INT64": numpy.int64, "BOOL": numpy.uint8}
DTYPE_NUMBERS = {"FLOAT32": 1, "INT32": 8, "INT64": 10, "BOOL": 12, "FLOAT64": 13}  # proto/task.proto
ROLES = {"INPUT": 0, "GOLDEN": 1, "GOLDEN_FP64": 2}  # proto/record.proto


def read(path, table, columns):
    """The rows of a table as dictionaries of the text columns asked for, in storage order."""
    with h5py.File(path, "r") as file:
        parts = file[table]
        for name in sorted(parts, key=lambda name: int(name.split("_")[1])):
            part = parts[name]
            texts = {}
            for column in columns:
                joined, offsets = part[column + "_bytes"][:].tobytes(), part[column + "_offsets"][:]
                texts[column] = [joined[a:b].decode() for a, b in zip(offsets, offsets[1:])]
            for row in range(part.attrs["rows"]):
                yield {column: texts[column][row] for column in columns}


def write(path, tasks, tensors=()):
    """`tasks`: dictionaries of columns; `graph` and `cases` are lists and dictionaries. `tensors`: see `tensor`."""
    with h5py.File(path, "w") as file:
        for name, text in {"format": "kgtrain data set", "kind": "rows"}.items():
            file.attrs.create(name, text.encode(), dtype=h5py.string_dtype("utf-8", len(text)))
        for name, number in {"format_version": 1, "first_generation": 1, "last_generation": 1, "level": 0}.items():
            file.attrs.create(name, number, dtype="u8")
        for table in ("meta", "samples", "rollouts", "preferences"):
            file.create_group(table)
        part = _part(file, "tasks", len(tasks))
        for name in ("id", "suite", "category", "family", "structure", "split", "entry_point"):
            _pool(part, name, "bytes", [task.get(name, "").encode() for task in tasks], numpy.uint8)
        for name in ("graph", "cases"):
            texts = [json.dumps(task[name]).encode() if name in task else b"" for task in tasks]
            _pool(part, name, "bytes", texts, numpy.uint8)
        for name, dtype in {"block_dim": "u4", "workspace_bytes": "u8", "absolute_bound": "f8"}.items():
            part.create_dataset(name, data=numpy.array([task.get(name, 0) for task in tasks], dtype))
        part = _part(file, "tensors", len(tensors))
        if not tensors:
            return
        _pool(part, "task", "bytes", [row["task"].encode() for row in tensors], numpy.uint8)
        _pool(part, "data", "bytes", [row["data"] for row in tensors], numpy.uint8)
        _pool(part, "shape", "values", [numpy.array(row["shape"], "u8").tobytes() for row in tensors], numpy.uint64)
        columns = {"case_index": "u4", "role": "i4", "index": "u4", "dtype": "i4", "byte_count": "u8"}
        for name, dtype in columns.items():
            part.create_dataset(name, data=numpy.array([row[name] for row in tensors], dtype))


def tensor(task, role, index, array, dtype):
    """A row of /tensors: input or expected output `index` of the only case of a task."""
    return {"task": task, "case_index": 0, "role": ROLES[role], "index": index, "dtype": DTYPE_NUMBERS[dtype],
            "shape": array.shape, "byte_count": array.nbytes, "data": array.tobytes()}


def _part(file, table, rows):
    group = file.create_group(table)
    if rows == 0:
        return group
    part = group.create_group("segment_000001")
    part.attrs.create("rows", rows, dtype="u8")
    return part


def _pool(part, name, kind, rows, dtype):
    size = numpy.dtype(dtype).itemsize
    part.create_dataset(f"{name}_{kind}", data=numpy.frombuffer(b"".join(rows), dtype))
    lengths = [len(row) // size for row in rows]
    part.create_dataset(f"{name}_offsets", data=numpy.cumsum([0] + lengths).astype("u8"))
