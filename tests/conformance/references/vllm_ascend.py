"""Low-rank adapters of vllm-ascend: a batch of rows through the matrix of the adapter that each row names."""

import numpy as np

from .harness import Case, uniform

REPOSITORY = "vllm-ascend"
HOST_PART = [(r"namespace vllm_ascend\s*\{\s*extern\b.*", "")]
ROWS, ADAPTERS = 6, 3


def of_adapters(random, sequences):
    """The adapter of each row, and the arguments that say so."""
    if not sequences:
        which = random.integers(0, ADAPTERS, ROWS)
        return which, [which.astype(np.int64)], [ROWS]
    lengths, which = np.array([2, 3, 1], np.int64), np.array([2, 0, 1], np.int64)
    return np.repeat(which, lengths), [which, lengths], [3, 3]


def shrink(random, kernel, sequences):
    """Half of x times the transposed first matrix of the adapter."""
    which, lists, sizes = of_adapters(random, sequences)
    rows, weight = uniform(random, -1, 1, (ROWS, 512), np.float16), uniform(random, -1, 1, (ADAPTERS, 8, 512), np.float16)
    wanted = np.einsum("bh,brh->br", rows.astype(np.float64), weight[which].astype(np.float64)) * 0.5
    return Case("half", f"csrc/kernels/{kernel}.cpp", f"{kernel}_half", [rows, weight, *lists], [wanted.astype(np.float32)],
                [*sizes, ROWS, 2, 512, 8, 0.5], blocks=3, bound=2e-3, replaced=HOST_PART)


def expand(random, kernel, sequences):
    """x times the transposed second matrix of the adapter, added to what is there."""
    which, lists, sizes = of_adapters(random, sequences)
    rows, weight = uniform(random, -1, 1, (ROWS, 16)), uniform(random, -1, 1, (ADAPTERS, 256, 16), np.float16)
    before = uniform(random, -1, 1, (ROWS, 256), np.float16)
    wanted = before + np.einsum("br,bhr->bh", rows.astype(np.float64), weight[which].astype(np.float64))
    return Case("half", f"csrc/kernels/{kernel}.cpp", f"{kernel}_half", [rows, weight, *lists, before], [wanted.astype(np.float16)],
                [*sizes, ROWS, 2, 16, 256, 0, 256], blocks=3, bound=4e-3, replaced=HOST_PART)


def cases(random):
    return [shrink(random, "bgmv_shrink", False), shrink(random, "sgmv_shrink", True),
            expand(random, "bgmv_expand", False), expand(random, "sgmv_expand", True)]
