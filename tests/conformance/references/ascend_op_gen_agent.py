"""Kernels of AscendOpGenAgent: norms, concatenation, gathering, sorting, pooling, products with epilogues."""

import numpy as np

from .harness import Bfloat16, Case, Output, rounded_to_bfloat16, uniform, workspace

REPOSITORY = "AscendOpGenAgent"
FOLDER = "archive_tasks"
CORES = 20
MATMUL_ORDER = ["a", "b", "tiling", "c", "workspace"]


def numbers(*values):
    return np.array(values, np.int32)


def divided(total, parts):
    return -(-total // parts)


def rms_norm(random):
    """Rows of three lengths, each with a kernel of its own; the inverse of the root mean square is an output too."""
    for kind, rows, columns in (("merge_n", 128, 512), ("merge_n", 100, 512), ("single_row", 100, 2048), ("splitd", 64, 9216)):
        for name, stored, bound in (("fp32", lambda x: x.astype(np.float32), 1e-4), ("fp16", lambda x: x.astype(np.float16), 3e-3),
                                    ("bf16", lambda x: Bfloat16(rounded_to_bfloat16(x)), 1.6e-2)):
            rounded = {"fp32": lambda x: x, "fp16": lambda x: x.astype(np.float16), "bf16": rounded_to_bfloat16}[name]
            x, gamma = rounded(uniform(random, -2, 2, (rows, columns))), rounded(uniform(random, .5, 1.5, columns))
            inverse = 1 / np.sqrt((x.astype(np.float64) ** 2).mean(1) + 1e-6)
            y = x * inverse[:, None] * gamma.astype(np.float64)
            blocks = divided(rows, 64)
            tiling = numbers(rows, columns, 64, blocks, 1, 8).tobytes() + np.array([1e-6, 1 / columns], np.float32).tobytes()
            suffix = "" if name == "fp32" else f"_{name}"
            yield Case(f"{rows}x{columns}", f"{FOLDER}/rms_norm/kernel/rms_norm_{kind}{suffix}.cpp", f"rms_norm_{kind}_custom_{name}",
                       [stored(x), stored(gamma), np.frombuffer(tiling, np.uint8)], [stored(y), stored(inverse)], blocks=blocks,
                       bound=bound, order=["x", "gamma", "tiling", "y", "invRms"])


def concatenations(random):
    """One to four matrices, one below the other."""
    for count in (1, 2, 3, 4):
        for columns, rows in ((64, [20, 33, 7, 70]), (33, [3, 5, 1, 2]), (5000, [5, 6, 7, 8])):
            parts = [uniform(random, -1, 1, (one, columns)) for one in rows[:count]]
            total = sum(rows[:count])
            block = next((one for one in (64, 32, 16, 8, 4, 2) if one <= total), 2)
            blocks = divided(total, block)
            used = min(CORES, blocks)
            tiling = numbers(*rows[:count], *[0] * (4 - count), count, columns, total, block, block // 2, blocks, used, divided(blocks, used))
            yield Case(f"{count} of {columns} columns", f"{FOLDER}/concat_dv2/kernel/concat_dim0_{count}.cpp", f"concat_dim0_{count}_custom",
                       [*parts, *[np.zeros((1, columns), np.float32)] * (4 - count), tiling], [np.concatenate(parts)], blocks=used, bound=0,
                       order=["x0", "x1", "x2", "x3", "tiling", "y"])


def gathers(random):
    """Elements of rows by index, in three ways."""
    for mode, kind in enumerate(("last_dim", "transpose", "scalar")):
        for name, dtype in (("fp32", np.float32), ("fp16", np.float16)):
            for rows, columns, used_columns, stored_columns in ((37, 128, 48, 64), (5, 40, 8, 8), (70, 1024, 500, 512)):
                held = rows if mode == 0 else rows + 3
                x = uniform(random, -1, 1, (held, columns), dtype)
                index = random.integers(0, columns, (rows, stored_columns)).astype(np.int32)
                row_of = (np.arange(rows) if mode == 0 else random.integers(0, held, rows)).astype(np.int32)
                wanted = np.zeros((rows, stored_columns), dtype)
                wanted[:, :used_columns] = np.take_along_axis(x[row_of], index, 1)[:, :used_columns]
                block = next(one for one in (32, 16, 8, 4) if rows >= one)
                blocks = divided(rows, block)
                used = min(CORES, blocks)
                tiling = numbers(rows, held, columns, used_columns, columns, stored_columns, block, used, divided(blocks, used),
                                 max(block // 2, 1), 0 if mode == 0 else 1, mode)
                yield Case(f"{rows}x{columns}, {used_columns}", f"{FOLDER}/gather_elements_v2/kernel/gather_elements_v2_{kind}_{name}.cpp",
                           f"gather_elements_v2_{kind}_{name}_custom", [x, index, row_of, tiling], [Output(wanted, fill=0)], blocks=used,
                           bound=0, order=["x", "index", "rowMap", "tiling", "y"])


def sort_tiling(count):
    """The kernel's tiling structure, and its cores: one core's memory, one core by parts, or several cores."""
    padded = divided(divided(count, 8) * 8, 32) * 32
    if count <= 4096:
        return numbers(0 if count <= 2048 else 1, count, padded, 1, *[0] * 9, 1), 1
    cores = max(2, min(CORES, divided(count, 512)))
    each = divided(divided(count, cores), 32) * 32
    last = count - each * (cores - 1)
    piece = divided(min(512, each), 32) * 32
    pieces, last_pieces = divided(each, piece), divided(last, piece)
    return numbers(2, count, padded, cores, each, last, pieces, last_pieces, piece, piece, each - piece * (pieces - 1),
                   last - piece * (last_pieces - 1), 256, cores), cores


def sorts(random):
    for count in (1, 100, 2048, 3000, 4096, 5000, 20000):
        keys, values = random.permutation(2 * count)[:count].astype(np.int32), np.arange(count, dtype=np.int32)
        order = np.argsort(keys)
        tiling, cores = sort_tiling(count)
        yield Case(str(count), f"{FOLDER}/sort/kernel/sort_kernel.cpp", "kv_sort_kernel", [keys, values, tiling],
                   [keys[order], values[order], workspace(1 << 20)], blocks=cores, bound=0,
                   order=["keys", "values", "tiling", "sortedKeys", "sortedValues", "workspace"])


def averages(x, kernel, strides, padding, count_padding, divisor):
    """Means of windows of (N, C, D, H, W), as PyTorch's avg_pool3d has them."""
    sizes = x.shape[2:]
    outs = [(size + 2 * pad - window) // stride + 1 for size, window, stride, pad in zip(sizes, kernel, strides, padding)]
    y = np.zeros((*x.shape[:2], *outs))
    for at in np.ndindex(*outs):
        begin = [one * stride - pad for one, stride, pad in zip(at, strides, padding)]
        end = [min(one + window, size + pad) for one, window, size, pad in zip(begin, kernel, sizes, padding)]
        inside = [slice(max(first, 0), min(last, size)) for first, last, size in zip(begin, end, sizes)]
        window = x[(slice(None), slice(None), *inside)].astype(np.float64)
        padded = np.prod([last - first for first, last in zip(begin, end)])
        y[(slice(None), slice(None), *at)] = window.sum((2, 3, 4)) / (divisor or (padded if count_padding else np.prod(window.shape[2:])))
    return y


def pools(random):
    """Windows over depth, height and width with the channels last, in five ways to divide the work."""
    ways = (("generic", 0, 0, 0, 1), ("reduce_d", 0, 0, 0, 1), ("split_c", 1, 32, 0, 1), ("split_w", 2, 0, 2, 1), ("multi_w", 3, 0, 0, 4))
    windows = (((1, 64, 4, 6, 8), (2, 2, 2), (2, 2, 2), (0, 0, 0), 1, 0), ((2, 64, 5, 6, 8), (3, 3, 3), (1, 2, 2), (1, 1, 1), 0, 0),
               ((1, 64, 4, 8, 8), (2, 3, 3), (2, 1, 1), (0, 1, 1), 1, 7))
    for way, (name, split, channels_a_block, columns_a_tile, windows_at_once) in enumerate(ways):
        for shape, kernel, strides, padding, count_padding, divisor in windows:
            if name == "reduce_d":
                kernel, strides, padding = (kernel[0], 1, 1), (strides[0], 1, 1), (padding[0], 0, 0)
            x = uniform(random, -1, 1, shape)
            y = averages(x, kernel, strides, padding, count_padding, divisor)
            batch, channels, depth, height, width = shape
            last = [one.transpose(0, 2, 3, 4, 1).reshape(-1, channels).astype(np.float32) for one in (x, y)]
            rows = last[1].shape[0]
            block = next((one for one in (64, 32, 16, 8, 4, 2) if rows % one == 0), 0)
            if not block:
                continue  # the kernel's own tiling refuses it
            blocks = rows // block
            used = min(CORES, blocks)
            tiling = numbers(batch, channels, depth, height, width, *y.shape[2:], *kernel, *strides, *padding, count_padding, divisor, split,
                             channels_a_block, columns_a_tile, windows_at_once, block, block // 2, blocks, np.prod(y.shape[2:]),
                             depth * height * width, height * width, channels // channels_a_block if channels_a_block else 1, used,
                             divided(blocks, used), used, min(channels, 256), way, 0)
            yield Case(f"{shape} by {kernel}", f"{FOLDER}/avg_pool3_d/kernel/avg_pool3_d_{name}.cpp", f"avg_pool3_d_{name}_custom",
                       [np.ascontiguousarray(last[0]), tiling], [last[1]], blocks=used, bound=1e-5, order=["x", "tiling", "y"])


def products(random):
    """Products on the cube core whose vector cores apply a leaky relu or scales. matmul_leakyrelu_int8 is left out: it casts into a tensor
    that it never gets from its buffer."""
    race = "synchronisation: Mul reads the scales' rows while MTE2 may still write them; no flag orders them"
    for m, n, k in ((256, 256, 256), (384, 512, 128)):
        label = f"{m}x{k}x{n}"
        a, b = uniform(random, -1, 1, (m, k), np.float16), uniform(random, -1, 1, (k, n), np.float16)
        c = a.astype(np.float32) @ b.astype(np.float32)
        tiling = numbers(m, n, k, 128, 128, 128, 4)
        yield Case(label, f"{FOLDER}/matmul_leakyrelu/kernel/matmul_leakyrelu_fp16.cpp", "matmul_leakyrelu_custom_fp16", [a, b, tiling],
                   [np.where(c > 0, c, c * np.float32(.001)), workspace(8 << 20)], blocks=CORES, bound=2e-3, order=MATMUL_ORDER)
        a, b = (random.integers(-20, 20, shape).astype(np.int8) for shape in ((m, k), (k, n)))
        c = (a.astype(np.int32) @ b.astype(np.int32)).astype(np.float32)
        scale = uniform(random, .001, .01, n)
        yield Case(label, f"{FOLDER}/quant_matmul/kernel/int8_matmul_scale.cpp", "int8_matmul_scale_custom",
                   [a, b, scale, numbers(m, n, k, 128, 128, 128)], [(c * scale).astype(np.float16), workspace(8 << 20)], blocks=4,
                   bound=2e-3, order=["a", "b", "scale", "tiling", "c", "workspace"], fault=race)


def rotated_rows(random):
    """Groups of columns times a matrix, then each row as int8 by its own scale; a rounding may differ by one."""
    for m, n, side in ((128, 256, 256), (256, 512, 256), (256, 1024, 512)):
        x, h = rounded_to_bfloat16(uniform(random, -1, 1, (m, n))), rounded_to_bfloat16(uniform(random, -1, 1, (side, side)))
        turned = np.concatenate([x[:, at:at + side].astype(np.float64) @ h for at in range(0, n, side)], 1)
        wanted = np.rint(turned * (127 / np.abs(turned).max(1, keepdims=True))).astype(np.int8)
        yield Case(f"{m}x{n}, {side}", f"{FOLDER}/reshape_matmul_rowwise_quant_int8/kernel/reshape_matmul_quant_bf16.cpp",
                   "reshape_matmul_quant_bf16", [Bfloat16(x), Bfloat16(h), numbers(m, n, side, 128, 256, 64, 256, n // 256, side // 256)],
                   [wanted, workspace(4 * m * n)], blocks=m // 128, bound=1, order=["x", "h", "tiling", "y", "workspace"])


def cases(random):
    return [*rms_norm(random), *concatenations(random), *gathers(random), *sorts(random), *pools(random), *products(random),
            *rotated_rows(random)]
