"""Attention of MindIE-SD: the padding of its inputs."""

import numpy as np

from .harness import Bfloat16, OperatorCase, rounded_to_bfloat16, uniform

REPOSITORY = "MindIE-SD"
HEAD_SIZE = 128
# V makes the zeros, and a block that has no data to wait for copies them out at once.
EARLY_COPY = "a copy of zeros out of UB that no flag orders behind V"


def padded(values, align):
    """(batch, token, head, size) as half of (batch, head, token, size), with zeros up to a multiple of `align` tokens."""
    batch, tokens, heads, size = values.shape
    out = np.zeros((batch, heads, -(-tokens // align) * align, size), np.float16)
    out[:, :, :tokens] = values.transpose(0, 2, 1, 3)
    return out


def preprocess(random, label, stored, shape, align, fault):
    batch, queries, keys, heads = shape
    inputs = [rounded_to_bfloat16(uniform(random, -1, 1, (batch, tokens, heads, HEAD_SIZE))) for tokens in (queries, keys, keys)]
    names = ("query", "key", "value")
    return OperatorCase(f"{'x'.join(map(str, shape))} {label}", "csrc/ops/la_preprocess", "LaPreprocess",
                        {name: stored(one) for name, one in zip(names, inputs)},
                        {f"out_{name}": padded(one, align) for name, one in zip(names, inputs)}, dict(align_len=align), bound=1e-3, fault=fault)


def cases(random):
    made = []
    for shape, align in (((1, 300, 300, 2), 256), ((2, 512, 77, 3), 256), ((1, 45, 33, 24), 16)):
        made += [preprocess(random, "half", lambda values: values.astype(np.float16), shape, align, EARLY_COPY),
                 preprocess(random, "bfloat16", Bfloat16, shape, align, "" if shape[1] == 512 else EARLY_COPY)]
    return made
