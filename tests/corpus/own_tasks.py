"""Tasks for kernels that belong to no data set: an operator graph that kgtrain evaluates, or numbers that we computed."""

import numpy

from data_file import NUMPY_TYPES, tensor


def spec(name, dtype, shape, kind=None, low=0, high=0):
    """`kind`, `low`, `high`: the distribution that an input is drawn from."""
    made = {"name": name, "dtype": dtype, "shape": [str(extent) for extent in shape]}
    if kind:
        made["distribution"] = {"kind": kind, "low": low, "high": high}
    return made


def graph_task(name, nodes, inputs, outputs, entry, blocks, *, seeds=(100,), workspace=0, bound=0.0):
    """`nodes`: (operator, inputs, attributes); the last ones are the outputs, as many as there are."""
    count, last = len(inputs), len(inputs) + len(nodes)
    graph = {"input_count": count, "outputs": list(range(last - len(outputs), last)),
             "nodes": [{"op": op, "inputs": taken, "attributes": attributes} for op, taken, attributes in nodes]}
    cases = [{"inputs": inputs, "outputs": outputs, "seed": str(seed)} for seed in seeds]
    return {"id": name, "suite": "builtin", "structure": name, "split": "train", "graph": graph, "cases": cases,
            "entry_point": entry, "block_dim": blocks, "workspace_bytes": workspace, "absolute_bound": bound}


def numbers_task(name, inputs, output, entry, blocks):
    """A task in the form of an imported one, with its tensors: (task, tensors). `inputs`: (dtype, array) each; `output`
    is of fp64 and asked for in float, within torch.allclose's distance of 1e-4."""
    shape = [str(extent) for extent in output.shape]
    case = {"inputs": [spec(f"x{i}", dtype, array.shape) for i, (dtype, array) in enumerate(inputs)],
            "outputs": [spec("z", "FLOAT32", output.shape)], "seed": "1",
            "check": {"kind": "NAMED", "name": "allclose", "absolute": 1e-4, "relative": 1e-4},
            "checked": [{"outputs": [0], "dtype": "FLOAT32", "shape": shape, "golden_dtype": "FLOAT32",
                         "golden_shape": shape}]}
    task = {"id": name, "suite": "npukernelbench", "structure": name, "split": "train", "cases": [case],
            "entry_point": entry, "block_dim": blocks, "workspace_bytes": 16 << 20}
    tensors = [tensor(name, "INPUT", i, array.astype(NUMPY_TYPES[dtype]), dtype)
               for i, (dtype, array) in enumerate(inputs)]
    tensors.append(tensor(name, "GOLDEN", 0, output.astype(numpy.float32), "FLOAT32"))
    tensors.append(tensor(name, "GOLDEN_FP64", 0, output.astype(numpy.float64), "FLOAT64"))
    return task, tensors
