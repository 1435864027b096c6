"""Kernels of InfiniCore: casts and gated activations."""

import numpy as np

from .harness import Bfloat16, Case, rounded_to_bfloat16, uniform

REPOSITORY = "InfiniCore"
FOLDER = "src/infiniop/ops"
STORED = {"half": lambda values: values.astype(np.float16), "float": lambda values: values.astype(np.float32),
          "bf16": lambda values: Bfloat16(rounded_to_bfloat16(values))}


def wide(tensor):
    return (tensor.values if isinstance(tensor, Bfloat16) else tensor).astype(np.float64)


def casts(random):
    for name, kind in (("f16", "half"), ("bf16", "bf16")):
        for length in (1024, 100):
            values = STORED[kind](uniform(random, -2, 2, length))
            yield Case(f"{length}", f"{FOLDER}/rms_norm/ascend/cast_kernel.cpp", f"cast_kernel_{name}_to_f32", [values],
                       [wide(values).astype(np.float32)], [length], bound=0, order=["src", "dst", "count"])


def swiglu(random, kind, batch, tokens, size):
    """a * b * sigmoid(b)"""
    first, gate = (STORED[kind](uniform(random, -2, 2, (batch, tokens, size))) for _ in range(2))
    wanted = wide(first) * wide(gate) / (1 + np.exp(-wide(gate)))
    order = ["a", "b", "c", "batch", "seq", "hd", "stride_batch_c", "stride_batch_a", "stride_batch_b", "stride_seq_c", "stride_seq_a",
             "stride_seq_b"]
    return Case(f"{batch}x{tokens}x{size}", f"{FOLDER}/swiglu/ascend/swiglu_ascend_kernel.cpp", f"swiglu_kernel_{kind}", [first, gate],
                [STORED[kind](wanted)], [batch, tokens, size, *[tokens * size] * 3, *[size] * 3], blocks=8,
                bound=1.6e-2 if kind == "bf16" else 5e-3, order=order)


def cases(random):
    sizes = ((2, 3, 256), (1, 1, 1032))
    return [*casts(random), *(swiglu(random, kind, *size) for kind in STORED for size in sizes)]
