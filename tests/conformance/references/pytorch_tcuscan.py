"""Scans of pytorch-tcuscan and what it makes of them: compress, split, sums of segments, radix sort, histogram; triangular matrices."""

import numpy as np

from .harness import Case, Output, uniform, workspace

REPOSITORY = "pytorch-tcuscan"
WORKSPACE_BYTES = 24 << 20
L2_BYTES = 192 << 20
EARLY_LOAD = "a load from L1 that no flag orders behind the copy into L1"


def words(*numbers):
    """Tiling data: 32-bit words, a float as its bits."""
    return np.concatenate([np.array([one], np.float32).view(np.uint32) if isinstance(one, float) else np.array([one], np.uint32)
                           for one in numbers])


def with_cache_size(*numbers):
    """Tiling data that end with the size of L2, 64 bits at a multiple of eight bytes."""
    return words(*numbers, *[0] * (len(numbers) % 2), L2_BYTES, 0)


def case(file, kernel, label, inputs, wanted, tiling, **more):
    """Each kernel takes its inputs, its outputs, a workspace and its tiling data, which is an input here."""
    begin, end = len(inputs), len(inputs) + len(wanted)
    return Case(label, f"src/{file}.cpp", kernel, [*inputs, tiling], [*wanted, workspace(WORKSPACE_BYTES, fill=0)],
                order=[*range(begin), end + 1, *range(begin, end), end], **more)


def scans(random, length, side):
    """Running sums, by matrices of side x side."""
    label, blocks = f"{length} by {side}", min(20, -(-length // side ** 2))
    halves, bytes_ = random.integers(0, 3, length).astype(np.float16), random.integers(0, 2, length).astype(np.int8)
    summed, counted = np.cumsum(halves, dtype=np.float32), np.cumsum(bytes_, dtype=np.int32)
    file = "scan_single_core"
    yield case(file, file + "_fp16", label, [halves], [summed], words(length, side, 0.0))
    yield case(file, file + "_int8", label, [bytes_], [counted], words(length, side, 0))
    yield case(file, file + "_fp32", label, [halves.astype(np.float32)], [summed], words(length, side, 0.0))
    file, tiling = "scan_multi_core", with_cache_size(blocks, length, side)
    yield case(file, file + "_fp16", label, [halves], [summed], tiling, blocks=blocks)
    yield case(file, file + "_int8", label, [bytes_], [counted], tiling, blocks=blocks)
    yield case(file, file + "_fp16_no_l2", label, [halves], [summed], tiling, blocks=blocks)
    upper, lower = np.triu(np.ones((side, side), np.float16)), np.tril(np.ones((side, side), np.float16), -1)
    yield case("scan_multi_cube", "scan_multi_cube_fp16", label, [halves, upper, lower], [summed], tiling, blocks=blocks, fault=EARLY_LOAD)


def selections(random, length, side):
    """The elements whose mask is set; then also the others behind them, with their positions."""
    label, mask = f"{length} by {side}", random.integers(0, 2, length).astype(np.int8)
    for name, dtype in (("fp16", np.float16), ("fp32", np.float32)):
        values = uniform(random, -2, 2, length, dtype)
        yield case("compress", f"compress_{name}", label, [values, mask], [values[mask != 0]], words(1, length, side), bound=0)
    values, positions = random.integers(0, 2 ** 15, length).astype(np.uint16), np.arange(length, dtype=np.int32)
    order = np.argsort(mask == 0, kind="stable")
    yield case("split", "split_ind_uint16", label, [values, mask, positions], [values[order], positions[order]],
               words(1, length, side, side * side // 2), bound=0)


def segments(random, length, side):
    """The sum of each segment, by the position behind its end."""
    label = f"{length} by {side}"
    ends = np.append(np.unique(random.integers(1, length, 7)), length).astype(np.int32)
    for name, dtype, summed in (("fp16", np.float16, np.float32), ("int8", np.int8, np.int32)):
        values = random.integers(0, 2, length).astype(dtype)
        wanted = np.array([part.sum(dtype=summed) for part in np.split(values, ends[:-1])], summed)
        yield case("seg_sum_single_core", f"seg_sum_single_core_{name}", label, [values, ends], [wanted], words(length, len(ends), side))


def sorts(random):
    """Values in ascending order and the positions from which they come; no two halves are equal."""
    length = 8192
    halves = (random.permutation(length) / length * 4 - 2).astype(np.float16)
    numbers = random.integers(-2 ** 15, 2 ** 15, length).astype(np.int16)
    for name, values in (("fp16", halves), ("int16", numbers)):
        order = np.argsort(values, kind="stable")
        yield case("radix_sort", f"radix_sort_{name}", f"{length}", [values], [values[order], order.astype(np.int32)],
                   words(2, length, 32, 1024), blocks=2, bound=0)


def small(random):
    """Comparison, copy, histogram, and sums along rows."""
    values = uniform(random, -2, 2, 2048, np.float16)
    yield case("compare", "greater_equal_fp16", "2048", [values], [(values >= 0.5).astype(np.int8)], words(8, 2048, 256, 0.5), blocks=8)
    yield case("copy", "copy_fp16", "2048", [values], [values], words(4, 2048, 256), blocks=4, bound=0)
    counted = random.integers(-127, 127, 4096).astype(np.float16)
    bins = np.histogram(counted.astype(np.float32), 8)[0].astype(np.int32)
    yield case("histogram", "histogram_fp16", "4096 in 8 bins", [counted], [Output(bins, fill=0)],
               words(4, 4096, 1024, 8, float(counted.min()), float(counted.max())), blocks=4, bound=0)
    for rows, side in ((64, 32), (128, 64)):
        matrix = uniform(random, -1, 1, (rows, side), np.float16)
        yield case("row_scan", "row_scan_fp16", f"{rows}x{side}", [matrix], [np.cumsum(matrix, 1, dtype=np.float32)],
                   words(rows * side, side), blocks=2, bound=5e-3)


def triangles(random):
    """The lower triangle of ones; the inverse of a unit upper triangle whose diagonal is implied."""
    for side in (16, 64):
        for name, dtype in (("fp16", np.float16), ("int8", np.int8)):
            yield case("gen_lower", f"gen_lower_{name}", f"{side}", [], [np.tril(np.ones((side, side), dtype))], words(side, side))
    side = 32
    upper = np.triu(random.uniform(0, .1, (3, side, side)), 1).astype(np.float16)
    wanted = np.linalg.inv(upper.astype(np.float64) + np.eye(side)).astype(np.float32)
    yield case("triu_inv_rec_unroll", "triu_inv_rec_unroll_fp16", f"3x{side}x{side}", [upper], [wanted], words(3, side), blocks=3, bound=2e-2)


def cases(random):
    sized = [one for make in (scans, selections, segments) for one in make(random, 5000, 32)]
    return [*small(random), *triangles(random), *sized, *sorts(random)]
