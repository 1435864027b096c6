"""Kernels of JittorInfer's ggml: quantised rows, copies of other strides and types, rotary position embedding."""

import numpy as np

from .harness import Case, uniform

REPOSITORY = "JittorInfer"
FOLDER = "ggml/src/ggml-cann/kernels"
GROUP = 32  # values that share a scale
ROW_ORDER = ["input_gm", "indices_gm", "input_ne_gm", "indices_ne_gm", "indices_nb_gm", "output_ne_gm", "output_nb_gm", "output_gm"]
QUANTIZE_ORDER = ["input_gm", "input_ne_gm", "input_nb_gm", "output_ne_gm", "output_gm"]
COPY_ORDER = ["src_gm", "input_ne_gm", "input_nb_gm", "output_ne_gm", "output_nb_gm", "dst_gm"]
ROPE_ORDER = ["x", "pos", "dst", "ne0", "ne1", "s1", "s2", "n_dims", "freq_scale", "theta_scale", "ext_factor", "attn_factor", "corr_dims_v_0",
              "corr_dims_v_1", "logf_1_freq_scale", "pos_len"]


def extents(*numbers):
    return np.array(numbers, np.int64)


def nibbles(values):
    """Pairs of numbers from -8 to 7 as bytes, the first of a pair in the low half."""
    pairs = (values.astype(np.int32) & 15).reshape(-1, 2)
    return (pairs[:, 0] | pairs[:, 1] << 4).astype(np.uint8)


def get_rows(random):
    """Rows by index, each number times the scale of its group."""
    rows, columns, count = 20, 128, 13
    indices = random.integers(0, rows, count).astype(np.int32)
    scales = uniform(random, .01, .1, (rows, columns // GROUP), np.float16)
    sizes = [extents(columns, rows, 1, 1), extents(count, 1, 1, 1), extents(4, 4 * count, 4 * count, 4 * count),
             extents(columns, count, 1, 1), extents(4, 4 * columns, 4 * columns * count, 4 * columns * count)]
    for name, low, high in (("q4_0", -8, 8), ("q8_0", -128, 128)):
        values = random.integers(low, high, (rows, columns)).astype(np.int8)
        stored = nibbles(values) if name == "q4_0" else values.view(np.uint8).ravel()
        wanted = (values.reshape(rows, -1, GROUP) * scales[..., None].astype(np.float32)).reshape(rows, columns)[indices]
        yield Case(f"{count} of {rows}x{columns}", f"{FOLDER}/get_row_{name}.cpp", f"ascendc_get_row_{name}",
                   [np.concatenate([stored, scales.view(np.uint8).ravel()]), indices, *sizes], [wanted.astype(np.float32)],
                   blocks=4, bound=1e-6, order=ROW_ORDER)


def quantize(random):
    """Four bits a number; the value of largest magnitude in a group becomes -8."""
    rows, columns = 7, 64
    for name, dtype in (("f32", np.float32), ("f16", np.float16)):
        values = uniform(random, -2, 2, (rows, columns), dtype)
        groups = values.astype(np.float32).reshape(rows, -1, GROUP)
        most, least = groups.max(2), groups.min(2)
        scales = np.where(-least > most, least, most) / np.float32(-8)
        levels = np.minimum(np.floor(groups * (np.float32(1) / scales)[..., None] + np.float32(8.5)), 15) - 8
        wanted = np.concatenate([nibbles(levels), scales.astype(np.float16).view(np.uint8).ravel()])
        size, shape = values.itemsize, extents(columns, rows, 1, 1)
        strides = extents(size, size * columns, size * values.size, size * values.size)
        yield Case(f"{rows}x{columns}", f"{FOLDER}/quantize_float_to_q4_0.cpp", f"ascendc_quantize_{name}_to_q4_0",
                   [values, shape, strides, shape], [wanted], blocks=3, bound=0, order=QUANTIZE_ORDER)


def copies(random):
    """A copy that swaps the two middle axes, in another type."""
    for source, target, name in ((np.float16, np.float16, "fp16"), (np.float32, np.float32, "fp32"),
                                 (np.float32, np.float16, "fp32_to_fp16"), (np.float16, np.float32, "fp16_to_fp32")):
        values = uniform(random, -2, 2, (2, 3, 4, 48), source)
        size, made = values.itemsize, np.dtype(target).itemsize
        shape = extents(48, 3, 4, 2)
        yield Case("2x3x4x48", f"{FOLDER}/dup.cpp", f"ascendc_dup_by_rows_{name}",
                   [values, shape, extents(size, size * 192, size * 48, size * 576), shape, extents(made, made * 48, made * 144, made * 576)],
                   [np.ascontiguousarray(values.transpose(0, 2, 1, 3)).astype(target)], blocks=24, bound=0, order=COPY_ORDER)


def rope(random, name, dtype, extension):
    """Rotates the halves of each head; `extension` mixes scaled and unscaled angles over a ramp of the dimensions."""
    heads, tokens, size = 3, 4, 64
    half, scale, attention, low, high, log_scale = size // 2, .5, 1.1, 4., 20., .7
    base = 10000 ** (-2 / size)
    values = uniform(random, -1, 1, (tokens, heads, size), dtype)
    positions = np.array([0, 5, 9, 100, 0, 0, 0, 0], np.int32)
    dimension = np.arange(half)
    unscaled = positions[:tokens, None] * base ** dimension
    angle, magnitude = unscaled * scale, attention
    if extension:
        ramp = extension * np.clip((dimension - low) / (high - low), 0, 1)
        angle, magnitude = unscaled * (scale * ramp + 1 - ramp), attention * (1 + .1 * log_scale)
    cosine, sine = (np.cos(angle) * magnitude)[:, None], (np.sin(angle) * magnitude)[:, None]
    first, second = values[..., :half].astype(np.float64), values[..., half:].astype(np.float64)
    wanted = np.concatenate([first * cosine - second * sine, first * sine + second * cosine], -1).astype(dtype)
    return Case(f"extension {extension}", f"{FOLDER}/custom_rope_ext.cpp", f"ascendc_custom_rope_{name}", [values, positions], [wanted],
                [size, heads, size, size * heads, size, scale, float(base), extension, attention, low, high, log_scale, tokens],
                blocks=heads * tokens, bound=3e-3, order=ROPE_ORDER)


def cases(random):
    ropes = [rope(random, name, dtype, extension) for name, dtype in (("f32", np.float32), ("f16", np.float16)) for extension in (0., 1.)]
    return [*get_rows(random), *quantize(random), *copies(random), *ropes]
