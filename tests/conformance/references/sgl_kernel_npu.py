"""Kernels of sgl-kernel-npu: pages for longer sequences, masks of tokens, copies between caches."""

import numpy as np

from .harness import Bfloat16, Case, Output, workspace

REPOSITORY = "sgl-kernel-npu"


def alloc_extend(random, count, page):
    """Where new tokens go: the rest of the last page of a sequence, then pages from the list of free ones."""
    before = random.integers(0, 200, count).astype(np.int64)
    after = before + random.integers(1, 150, count)
    free = random.permutation(4000).astype(np.int64)
    last = 1000 * np.arange(count, dtype=np.int64) + (before - 1) % page
    slots, used = [], 0
    for old, new, end in zip(before, after, last):
        room = min(new, -(-old // page) * page) - old
        slots += [end + 1 + token for token in range(room)]
        slots += [free[used + token // page] * page + token % page for token in range(new - old - room)]
        used += -(-new // page) - -(-old // page)
    wanted = np.array(slots, np.int64)
    blocks = min(40, count)
    tiling = np.concatenate([np.array([count, page, blocks, 0], np.int32).view(np.uint8), np.array([len(wanted)], np.int64).view(np.uint8)])
    order = ["pre_lens_in", "seq_lens_in", "last_loc_in", "free_pages_in", "tiling_gm_in", "out_indices_in", "values_in", "workspace_in"]
    return Case(f"{count} by {page}", "csrc/alloc_extend/op_kernel/alloc_extend_kernel.cpp", "alloc_extend", [before, after, last, free, tiling],
                [wanted, Output(np.zeros(1, np.int64), fill=0, checked=False), workspace(64)], blocks=blocks, bound=0, order=order)


def token_bitmask(random, name, stored, size):
    """Logits of one, minus infinity where the bit of the token is clear."""
    rows, tokens = 5, 1024
    mask = random.integers(-2 ** 31, 2 ** 31, (rows, tokens // 32)).astype(np.int32)
    bits = (mask[:, :, None] >> np.arange(32) & 1).reshape(rows, tokens)
    order = ["bitmask", "logits", "numRows", "vocabSize", "logitsStride", "bitmaskStride", "baseRows", "extraCores", "tileLength", "blockDim",
             "dtypeSize"]
    return Case(f"{rows}x{tokens}", "csrc/apply_token_bitmask/op_kernel/apply_token_bitmask.cpp", f"apply_token_bitmask_{name}", [mask],
                [Output(stored(np.where(bits, 1, -np.inf).astype(np.float32)), fill=1)],
                [rows, tokens, tokens, tokens // 32, 1, 1, 512, 4, size], blocks=4, bound=0, order=order)


def assign_cache(random, dtype):
    """A range of the source goes to a range of the same length in each row of the cache."""
    rows, columns, unified_bytes = 5, 320, 196608
    source = random.integers(-100, 100, rows * 200).astype(dtype)
    lengths = np.array([10, 60, 64, 1, 33], np.int64)
    begins, places = np.arange(rows, dtype=np.int64) * 64, np.array([32, 64, 0, 128, 96], np.int64)
    wanted = np.zeros((rows, columns), dtype)
    for row, (begin, place, length) in enumerate(zip(begins, places, lengths)):
        wanted[row, place:place + length] = source[begin:begin + length]
    flags = 40 * 64 + 32
    tiling = np.array([rows, columns, source.itemsize, flags, unified_bytes], np.uint32)
    order = ["srcPtr", "dstStartIdxPtr", "dstEndIdxPtr", "srcStartIdxPtr", "srcEndIdxPtr", "tilingPtr", "dstPtr", "sync"]
    return Case(np.dtype(dtype).name, "csrc/assign_cache_op/op_kernel/assign_cache_op.cpp", "assign_cache_op",
                [source, places, places + lengths, begins, begins + lengths, tiling], [Output(wanted, fill=0), workspace(flags, fill=0)],
                blocks=8, bound=0, order=order)


def cases(random):
    bitmasks = [token_bitmask(random, "fp32", lambda values: values, 4), token_bitmask(random, "bf16", Bfloat16, 2),
                token_bitmask(random, "fp16", lambda values: values.astype(np.float16), 2)]
    return [alloc_extend(random, 50, 64), *bitmasks,
            *(assign_cache(random, dtype) for dtype in (np.int8, np.int16, np.int32, np.int64))]
