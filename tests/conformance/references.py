#!/usr/bin/env python3
"""Kernels of the checkouts that stand for themselves, against references in numpy: README.md. Needs numpy."""

import argparse
import os
import re
import sys

import numpy as np

import checkout as checkouts
import conformance
import wire
from closure import closure, joined

RANDOM = np.random.default_rng(20261124)
DTYPES = {np.dtype(np.float32): 1, np.dtype(np.float16): 2, np.dtype(np.int32): 8, np.dtype(np.int64): 10}
HOST_PART = re.compile(r"namespace vllm_ascend\s*\{\s*extern\b.*", re.S)  # what launches, behind the kernels


def uniform(low, high, shape, dtype=np.float32):
    return RANDOM.uniform(low, high, shape).astype(dtype)


def add_custom():
    x, y = (RANDOM.integers(-1000, 1000, 16384).astype(np.int32) for _ in range(2))
    return dict(inputs=[x, y], numbers=[x.size], wanted=[x + y], blocks=8)


def trig_inplace_custom():
    x = uniform(-1.2, 1.2, 16384)
    return dict(inputs=[x], numbers=[x.size], wanted=[np.sin(x), np.cos(x), np.tan(x)], blocks=8)


def of_adapters(sequences):
    """Rows, the adapter of each, and the arguments that say so."""
    rows, adapters = 6, 3
    if not sequences:
        which = RANDOM.integers(0, adapters, rows)
        return rows, adapters, which, [which.astype(np.int64)], [rows]
    lengths, which = np.array([2, 3, 1], np.int64), np.array([2, 0, 1], np.int64)
    return rows, adapters, np.repeat(which, lengths), [which, lengths], [3, 3]


def shrink(sequences):
    rows, adapters, which, lists, sizes = of_adapters(sequences)
    x, weight = uniform(-1, 1, (rows, 512), np.float16), uniform(-1, 1, (adapters, 8, 512), np.float16)
    wanted = np.einsum("bh,brh->br", x.astype(np.float64), weight[which].astype(np.float64)) * 0.5
    return dict(inputs=[x, weight, *lists], numbers=[*sizes, rows, 2, 512, 8, 0.5], blocks=3,
                wanted=[wanted.astype(np.float32)], bound=2e-3)


def expand(sequences):
    rows, adapters, which, lists, sizes = of_adapters(sequences)
    x, weight = uniform(-1, 1, (rows, 16)), uniform(-1, 1, (adapters, 256, 16), np.float16)
    before = uniform(-1, 1, (rows, 256), np.float16)
    wanted = before + np.einsum("br,bhr->bh", x.astype(np.float64), weight[which].astype(np.float64))
    return dict(inputs=[x, weight, *lists, before], numbers=[*sizes, rows, 2, 16, 256, 0, 256], blocks=3,
                wanted=[wanted.astype(np.float16)], bound=4e-3)


# Regular expression of the path, the kernel, its case.
KERNELS = [
    (r"^op-plugin/.*add_custom\.asc$", "add_custom", add_custom),
    (r"^op-plugin/.*trig_inplace_custom\.asc$", "trig_inplace_custom", trig_inplace_custom),
    (r"^vllm-ascend/csrc/kernels/bgmv_shrink\.cpp$", "bgmv_shrink_half", lambda: shrink(False)),
    (r"^vllm-ascend/csrc/kernels/sgmv_shrink\.cpp$", "sgmv_shrink_half", lambda: shrink(True)),
    (r"^vllm-ascend/csrc/kernels/bgmv_expand\.cpp$", "bgmv_expand_half", lambda: expand(False)),
    (r"^vllm-ascend/csrc/kernels/sgmv_expand\.cpp$", "sgmv_expand_half", lambda: expand(True)),
]


def source_of(where, own, path, name):
    text = HOST_PART.sub("", checkouts.device_part(joined(where, closure(where, own, path), path)))
    plain = checkouts.without_comments(text)
    pasted = conformance.MACRO_KERNEL.search(plain)
    return conformance.with_launcher(text, name, conformance.parameters(plain, pasted.group(1) if pasted else name))


def run(sandbox, text, name, case):
    inputs = [wire.tensor(f"in{i}", DTYPES[one.dtype], one.shape, one.tobytes()) for i, one in enumerate(case["inputs"])]
    outputs = [wire.output_spec(f"out{i}", DTYPES[one.dtype], one.shape) for i, one in enumerate(case["wanted"])]
    numbers = [wire.attribute(f"n{i}", one) for i, one in enumerate(case["numbers"])]
    result = sandbox.ask(wire.request(name, text, cases=[wire.run_case(inputs, outputs, numbers, case["blocks"])],
                                      block_dim=case["blocks"], run_seconds=60))
    if not result.compiled or not result.cases or not result.cases[0].ran:
        faults = "; ".join(one[2] for made in result.cases for one in made.faults)
        return "does not run", result.sandbox_error or result.output or faults
    for made, wanted in zip(result.cases[0].outputs, case["wanted"]):
        got = np.frombuffer(made, wanted.dtype).reshape(wanted.shape).astype(np.float64)
        error, size = np.abs(got - wanted.astype(np.float64)), np.abs(wanted.astype(np.float64))
        bound = case.get("bound", 1e-4)
        if not np.all((error <= bound) | (error <= bound * size)):
            return "differs", f"worst {np.nanmax(error)}"
    errors = [f"{kind}: {message}" for kind, error, message in result.cases[0].faults if error]
    return ("equal, with a fault", errors[0]) if errors else ("equal", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="a folder with checkouts")
    parser.add_argument("--program", default=os.path.join(conformance.HERE, "../../build/release/bin/kgtrain-sandbox"))
    parser.add_argument("--cache", default="")
    options = parser.parse_args()
    sandbox, own = wire.Sandbox(options.program, options.cache), conformance.published_paths()
    outcomes = []
    for repository in sorted({pattern.split("/")[0].lstrip("^") for pattern, _, _ in KERNELS}):
        where = checkouts.Checkout(os.path.join(options.folder, repository))
        for path, _ in where.kernels():
            full = f"{repository}/{path}"
            for pattern, name, case in KERNELS:
                if re.search(pattern, full):
                    outcome, why = run(sandbox, source_of(where, own, path, name), name, case())
                    outcomes.append(outcome)
                    print(f"{full}: {outcome} {why[:300]}", flush=True)
    sandbox.close()
    print(f"{sum(one.startswith('equal') for one in outcomes)} of {len(outcomes)} equal their reference")
    return 0 if all(one.startswith("equal") for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
