#!/usr/bin/env python3
"""What numpy and mpmath compute for the cases of ascendc_numpy_cases.cpp.

  ascendc_numpy_reference.py --write        writes ascendc_numpy_fixture.txt beside this file
  ascendc_numpy_reference.py --check        fails if that file is not what is computed here
  ascendc_numpy_reference.py --show NAME    prints inputs and results of one case, in hexadecimal

Inputs come from the recipe of ascendc_numpy_test.cpp. Half and bfloat16 results are rounded once from an exact or
odd-rounded value in float64; functions are those of mpmath with 40 digits.
"""
import argparse
import math
import pathlib
import re
import sys

import mpmath
import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
FIXTURE = FOLDER / "ascendc_numpy_fixture.txt"
U64 = np.uint64
mpmath.mp.dps = 40

BITS = {"half": np.uint16, "bfloat16_t": np.uint16, "float": np.uint32, "int8_t": np.uint8, "uint8_t": np.uint8,
        "int16_t": np.uint16, "uint16_t": np.uint16, "int32_t": np.uint32, "uint32_t": np.uint32, "int64_t": np.uint64}
NUMBER = {"half": np.float16, "float": np.float32, "int8_t": np.int8, "uint8_t": np.uint8, "int16_t": np.int16,
          "uint16_t": np.uint16, "int32_t": np.int32, "uint32_t": np.uint32, "int64_t": np.int64}

# --- the recipe


def mix(stream, i):
    with np.errstate(over="ignore"):
        z = (U64(stream << 32) + i + U64(1)) * U64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> U64(30))) * U64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> U64(27))) * U64(0x94D049BB133111EB)
        return z ^ (z >> U64(31))


SPECIALS = np.array([0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000,
                     0x3F7FFFFF, 0x3F800001, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x4B000001],
                    dtype=U64)


def sign_extended(value, bits):
    shift = np.int64(64 - bits)
    return (value.astype(np.int64) << shift >> shift).astype(U64)


def input_bits(kind, inputs, operand, count):
    i = np.arange(count, dtype=U64)
    random = mix(operand, i)
    if inputs == "kMild":
        if kind == "half":
            values = ((random % U64(2001)).astype(np.int64) - 1000) / 64
            return values.astype(np.float16).view(np.uint16)
        values = ((random % U64(4001)).astype(np.int64) - 2000) / 128
        return values.astype(np.float32).view(np.uint32)
    if BITS[kind] == np.uint16:
        low = random & U64(0xFFFF)
        return (np.where(i < 65536, i, low) if operand == 0 else low).astype(np.uint16)
    if BITS[kind] == np.uint8:
        return ((i if operand == 0 else random) & U64(0xFF)).astype(np.uint8)
    if kind == "float":
        moderate = (random & U64(0x807FFFFF)) | ((U64(96) + (random >> U64(40)) % U64(64)) << U64(23))
        bits = np.where(i % U64(2) == 1, random & U64(0xFFFFFFFF), moderate)
        first = np.arange(min(256, count))
        bits[first] = SPECIALS[first // 16 if operand == 0 else first % 16 if operand == 1 else first * 7 % 16]
        return bits.astype(np.uint32)
    edges = np.array([0x8000000000000000, 0x7FFFFFFFFFFFFFFF, 0, 0xFFFFFFFFFFFFFFFF], dtype=U64)
    by_three = i % U64(3)
    value = np.where(by_three == 0, random, np.where(by_three == 1, sign_extended(random & U64(0xFFFFFFFF), 32),
                                                     sign_extended(random & U64(0xFFFF), 16)))
    wide = kind == "int64_t"
    chosen = edges[(np.arange(4) + operand) % 4]
    value[:4] = chosen if wide else chosen >> U64(32)
    return value if wide else (value & U64(0xFFFFFFFF)).astype(np.uint32)


# --- numbers of a type, and back


def number(kind, bits):
    """Integers as int64 (uint64 nowhere), reals as float64."""
    if kind == "bfloat16_t":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    values = bits.view(NUMBER[kind])
    return values.astype(np.float64 if kind in ("half", "float") else np.int64)


def bfloat16_of(values):
    """float32 values to bfloat16, to nearest even."""
    bits = values.astype(np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def bits_of(kind, values):
    """Rounded once to nearest even; integers wrap. NaN without payload."""
    with np.errstate(all="ignore"):
        if kind == "half":
            bits = values.astype(np.float16).view(np.uint16)
            return np.where(np.isnan(values), np.uint16(0x7E00), bits)
        if kind == "float":
            bits = values.astype(np.float32).view(np.uint32)
            return np.where(np.isnan(values), np.uint32(0x7FC00000), bits)
        return values.astype(np.int64).astype(BITS[kind])


def to_odd(head, rest):
    """head + rest rounded to odd: a later rounding to fewer bits sees whether anything was lost."""
    bits = head.view(np.uint64).copy()
    inexact = (rest != 0) & np.isfinite(head) & np.isfinite(rest) & ((bits & U64(1)) == 0)
    away = (rest > 0) == (head > 0)
    bits[inexact & away] += U64(1)
    bits[inexact & ~away] -= U64(1)
    return bits.view(np.float64)


def fused(a, b, c):
    """a * b + c; the product of two floats is exact in float64."""
    with np.errstate(all="ignore"):
        p = a * b
        s = p + c
        part = s - p
        rest = (p - (s - part)) + (c - part)
        return to_odd(s, np.where(np.isnan(rest), 0, rest))


def relu(x):
    return np.where((x > 0) | np.isnan(x), x, 0.0)


def larger(x, y):
    return np.where(np.isnan(x) | (x > y), x, y)


def smaller(x, y):
    return np.where(np.isnan(x) | (x < y), x, y)


def scalar(kind, value):
    """A literal of float in the data type."""
    if kind in ("half", "float"):
        return float(NUMBER[kind](np.float32(value)))
    return int(value)


# --- functions in 40 digits


def odd_float(value):
    """An mpf as float64, rounded to odd unless exact."""
    if mpmath.isnan(value):
        return math.nan
    if mpmath.isinf(value):
        return math.inf if value > 0 else -math.inf
    nearest = float(value)
    if math.isinf(nearest):
        return nearest
    rest = value - mpmath.mpf(nearest)
    if rest == 0:
        return nearest
    if nearest == 0:
        return math.copysign(5e-324, float(mpmath.sign(value)))
    head = np.array([nearest])
    return float(to_odd(head, np.array([float(mpmath.sign(rest))]))[0])


def special(function, table):
    """Applies the function to finite arguments; the table says what zeros, infinities and others give."""
    def apply(x):
        if math.isnan(x):
            return math.nan
        for condition, result in table:
            if condition(x):
                return result(x) if callable(result) else result
        try:
            return odd_float(mpmath.re(function(mpmath.mpf(x))))
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan
    return apply


def zero(x):
    return x == 0


def inf(x):
    return x == math.inf


def minus_inf(x):
    return x == -math.inf


def same(x):
    return x


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


INF = math.inf
LOG = [(zero, -INF), (lambda x: x < 0, math.nan), (inf, INF)]
FAR = [(lambda x: x > 1000, INF), (lambda x: x < -1000, 0.0)]
FUNCTIONS = {
    "Exp": special(mpmath.exp, FAR),
    "Ln": special(mpmath.log, LOG),
    "Log": special(mpmath.log, LOG),
    "LogOfAll": special(mpmath.log, LOG),
    "Log2": special(lambda x: mpmath.log(x) / mpmath.log(2), LOG),
    "Log10": special(mpmath.log10, LOG),
    "Rsqrt": special(lambda x: 1 / mpmath.sqrt(x),
                     [(zero, lambda x: math.copysign(INF, x)), (lambda x: x < 0, math.nan), (inf, 0.0)]),
    "Sigmoid": special(sigmoid, [(lambda x: x > 1000, 1.0), (lambda x: x < -1000, 0.0)]),
    "Tanh": special(mpmath.tanh, [(zero, same), (lambda x: x > 1000, 1.0), (lambda x: x < -1000, -1.0)]),
    "Sin": special(mpmath.sin, [(zero, same), (lambda x: math.isinf(x), math.nan)]),
    "Cos": special(mpmath.cos, [(lambda x: math.isinf(x), math.nan)]),
    "Tan": special(mpmath.tan, [(zero, same), (lambda x: math.isinf(x), math.nan)]),
    "Sinh": special(mpmath.sinh, [(zero, same), (lambda x: x > 1000, INF), (lambda x: x < -1000, -INF)]),
    "Cosh": special(mpmath.cosh, [(lambda x: abs(x) > 1000, INF)]),
    "Asin": special(mpmath.asin, [(zero, same), (lambda x: abs(x) > 1, math.nan)]),
    "Acos": special(mpmath.acos, [(lambda x: abs(x) > 1, math.nan), (lambda x: x == 1, 0.0)]),
    "Atan": special(mpmath.atan, [(zero, same), (inf, math.pi / 2), (minus_inf, -math.pi / 2)]),
    "Asinh": special(mpmath.asinh, [(zero, same), (inf, INF), (minus_inf, -INF)]),
    "Acosh": special(mpmath.acosh, [(lambda x: x < 1, math.nan), (lambda x: x == 1, 0.0), (inf, INF)]),
    "Atanh": special(mpmath.atanh, [(zero, same), (lambda x: abs(x) > 1, math.nan),
                                    (lambda x: abs(x) == 1, lambda x: math.copysign(INF, x))]),
    "Erf": special(mpmath.erf, [(zero, same), (lambda x: x > 100, 1.0), (lambda x: x < -100, -1.0)]),
    "Erfc": special(mpmath.erfc, [(lambda x: x > 100, 0.0), (lambda x: x < -100, 2.0)]),
    "Lgamma": special(lambda x: mpmath.loggamma(abs(x) + mpmath.mpf(0.25)), []),
    "Digamma": special(lambda x: mpmath.digamma(abs(x) + mpmath.mpf(0.25)), []),
    "Silu": special(lambda x: x * sigmoid(x), [(zero, same)]),
    "Swish": special(lambda x: x * sigmoid(mpmath.mpf(0.75) * x), [(zero, same)]),
    "Gelu": special(lambda x: x * sigmoid(mpmath.sqrt(8 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)),
                    [(zero, same)]),
    "FasterGelu": special(lambda x: x * sigmoid(mpmath.mpf("1.702") * x), [(zero, same)]),
    # x / 2 (1 + erf(x / sqrt 2)) with I-BERT's polynomial for erf (Kim et al. 2021, equation 6).
    "FasterGeluV2": special(lambda x: x * (mpmath.sign(x) * (mpmath.mpf("-0.1444") * (
        min(abs(mpmath.mpf("0.7071") * x), mpmath.mpf("1.769")) - mpmath.mpf("1.769"))**2 + 0.5) + 0.5),
                            [(zero, same), (inf, INF), (minus_inf, math.nan),
                             (lambda x: mpmath.mpf("0.7071") * -x >= mpmath.mpf("1.769"), -0.0)]),
    "PowerScalar": special(lambda x: x**3, [(zero, same)]),
    "PowerBase": special(lambda x: mpmath.mpf(2)**x, []),
}


def gelu(y):
    y = mpmath.mpf(y)
    return y * sigmoid(mpmath.sqrt(8 / mpmath.pi) * (y + mpmath.mpf("0.044715") * y**3))


PAIRS = {
    "GeGLU": lambda x, y: odd_float(mpmath.mpf(x) * gelu(y)),
    "SwiGLU": lambda x, y: odd_float(mpmath.mpf(x) * y * sigmoid(mpmath.mpf(1.5) * mpmath.mpf(y))),
    "Hypot": lambda x, y: odd_float(mpmath.sqrt(mpmath.mpf(x)**2 + mpmath.mpf(y)**2)),
    "Power": lambda x, y: power(abs(x), y),
}


def power(x, y):
    if x == 0:
        return 1.0 if y == 0 else 0.0 if y > 0 else INF
    return odd_float(mpmath.mpf(x)**mpmath.mpf(y))


# --- rounding to integers and to shorter types


def half_away(x):
    """To the nearest integer, half away from zero: x - trunc(x) is exact."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


TO_INTEGRAL = {"CastNone": np.rint, "CastRint": np.rint, "CastFloor": np.floor, "CastCeil": np.ceil,
               "CastRound": half_away, "CastTrunc": np.trunc}


def saturated(kind, values):
    """Integral float64 values to an integer type; NaN gives 0."""
    limits = np.iinfo(NUMBER[kind])
    clean = np.where(np.isnan(values), 0.0, values)
    inside = np.clip(clean, float(limits.min), float(limits.max))
    result = np.zeros(len(values), dtype=np.int64)
    high, low = inside >= float(limits.max), inside <= float(limits.min)
    middle = ~high & ~low
    result[middle] = inside[middle].astype(np.int64)
    result[high], result[low] = limits.max, limits.min
    return result


def shorten(kind, mode, values):
    """float32 values (as float64) to half or bfloat16 by a rounding mode."""
    digits, least, largest = (10, -24, 65504.0) if kind == "half" else (7, -133, float.fromhex("0x1.fep127"))
    exponent = np.frexp(np.where(np.isfinite(values), values, 1.0))[1] - 1
    unit = np.ldexp(1.0, np.maximum(exponent - digits, least))
    with np.errstate(all="ignore"):
        scaled = values / unit
        if mode in ("CastNone", "CastRint"):
            whole = np.rint(scaled)
        elif mode == "CastOdd":
            whole = np.trunc(scaled)
            even = np.fmod(whole, 2) == 0
            whole = np.where((whole != scaled) & even, whole + np.sign(scaled), whole)
        else:
            whole = TO_INTEGRAL[mode](scaled)
        result = np.copysign(np.abs(whole) * unit, values)
    over = np.abs(result) > largest
    # Beyond the largest: modes that round towards zero there stop at it.
    stays = {"CastTrunc": np.ones(len(values), bool), "CastOdd": np.ones(len(values), bool),
             "CastFloor": values > 0, "CastCeil": values < 0}.get(mode, np.zeros(len(values), bool))
    result = np.where(over, np.copysign(np.where(stays, largest, INF), values), result)
    result = np.where(np.isfinite(values), result, values)
    return bfloat16_of(result) if kind == "bfloat16_t" else bits_of("half", result)


def float_of_integer(mode, values):
    """int64 to float32 by a rounding mode, through exact integers."""
    result = np.empty(len(values), dtype=np.float64)
    for k, value in enumerate(values.tolist()):
        magnitude = abs(value)
        drop = max(magnitude.bit_length() - 24, 0)
        whole, rest = magnitude >> drop, magnitude & ((1 << drop) - 1)
        middle = (1 << drop) >> 1
        up = False
        if rest:
            if mode in ("CastNone", "CastRint"):
                up = rest > middle or (rest == middle and whole % 2 == 1)
            elif mode == "CastRound":
                up = rest >= middle
            elif mode == "CastFloor":
                up = value < 0
            elif mode == "CastCeil":
                up = value > 0
        result[k] = math.copysign(float((whole + up) << drop), value)
    return result


def cast(mode, source, target, bits):
    values = number(source, bits)
    reals = ("half", "float", "bfloat16_t")
    if source in reals and target not in reals:
        with np.errstate(all="ignore"):
            return saturated(target, TO_INTEGRAL[mode](values)).astype(BITS[target])
    if source == "float" and target == "float":
        with np.errstate(all="ignore"):
            return bits_of("float", TO_INTEGRAL[mode](values))
    if source in reals:
        return bits_of("float", values) if target == "float" else shorten(target, mode, values)
    if target == "float":
        return bits_of("float", float_of_integer(mode, values))
    if target == "half":
        return shorten("half", mode, values.astype(np.float64))
    limits = np.iinfo(NUMBER[target])
    return np.clip(values, limits.min, limits.max).astype(BITS[target])


# --- reductions


def tree(values, kind):
    """Sums of rows of a power of two elements, neighbours first, each addition rounded to the type."""
    values = values.astype(NUMBER[kind])
    with np.errstate(all="ignore"):
        while values.shape[1] > 1:
            values = (values[:, 0::2].astype(np.float64) + values[:, 1::2]).astype(NUMBER[kind])
    return values[:, 0].astype(np.float64)


def one_after_another(values, kind):
    total = values[:, 0].astype(NUMBER[kind])
    for k in range(1, values.shape[1]):
        total = (total.astype(np.float64) + values[:, k]).astype(NUMBER[kind])
    return total.astype(np.float64)


def reduction(name, kind, values):
    width = 128 if kind == "half" else 64
    if name == "ReduceSum":
        return one_after_another(tree(values.reshape(-1, width), kind).reshape(-1, 4096 // width), kind)
    if name in ("ReduceMax", "ReduceMin"):
        return getattr(values.reshape(-1, 4096), name[-3:].lower())(axis=1)
    if name == "Sum":
        rows = values.reshape(-1, 64).copy()
        rows[:, 60:] = 0
        return tree(rows, kind)
    rows = values.reshape(-1, 2 if name.startswith("Pair") else 32 // np.dtype(NUMBER[kind]).itemsize
                          if name.startswith("Block") else width)
    return tree(rows, kind) if name.endswith("Sum") else getattr(rows, name[-3:].lower())(axis=1)


ROWS = ("SoftMax", "LogSoftMax", "SoftmaxGrad", "LayerNorm", "RmsNorm", "Mean", "CumSum", "DeepNorm", "GroupNorm",
        "SimpleSoftMax", "SoftmaxFlashV2", "LayerNormGrad", "LayerNormGradForGamma", "LayerNormGradBeta", "SoftmaxGradFront", "SumByPattern", "MeanByPattern", "ProdByPattern")


def rows_of_64(name, x, y):
    rows = x.reshape(-1, 64)
    if name == "Mean":
        return rows[:, :60].mean(axis=1)
    if name == "CumSum":
        return np.cumsum(rows, axis=1).ravel()
    if name in ("SoftMax", "LogSoftMax"):
        powers = np.exp(rows - rows.max(axis=1, keepdims=True))
        result = powers / powers.sum(axis=1, keepdims=True)
        return (np.log10(result) if name == "LogSoftMax" else result).ravel()
    if name == "SoftmaxGrad":
        other = y.reshape(-1, 64)
        return ((rows - (rows * other).sum(axis=1, keepdims=True)) * other).ravel()
    if name == "LayerNorm":
        centred = rows - rows.mean(axis=1, keepdims=True)
        return (centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 0.5) * y[:64] + y[64:128]).ravel()
    if name.startswith("LayerNormGrad"):
        dy = y.reshape(-1, 64)
        if name == "LayerNormGradBeta":
            return np.tile(np.concatenate([(dy * rows).sum(axis=0), dy.sum(axis=0)]), 2)
        variance, mean, epsilon, gamma = 2.0, 0.5, 0.5, y[64:128]
        centred = rows - mean
        if name == "LayerNormGradForGamma":
            return (centred * (variance + epsilon)**-0.5).ravel()
        pd_xl = dy * gamma  # the formulas of the documentation, line by line
        pd_var = (-0.5 * pd_xl * centred * (variance + epsilon)**-1.5).sum(axis=1, keepdims=True)
        pd_mean = (-1.0 * pd_xl * (variance + epsilon)**-0.5).sum(axis=1, keepdims=True) + \
            pd_var / 64 * (-2.0 * centred).sum(axis=1, keepdims=True)
        return (pd_xl * (variance + epsilon)**-0.5 + pd_var * 2 / 64 * centred + pd_mean / 64).ravel()
    if name == "RmsNorm":
        return (rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + 0.5) * y[:64]).ravel()
    if name == "DeepNorm":
        rows = (2 * x + y).reshape(-1, 64)
        centred = rows - rows.mean(axis=1, keepdims=True)
        return (centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 0.5) * y[128:192] + y[64:128]).ravel()
    if name == "GroupNorm":
        centred = rows - rows.mean(axis=1, keepdims=True)
        result = (centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 0.5)).reshape(8, 32)
        return (result * y[:8, None] + y[8:16, None]).ravel()
    if name == "SimpleSoftMax":
        return np.exp(x - 1) / 2
    if name == "SoftmaxFlashV2":
        return np.exp(rows - rows.max(axis=1, keepdims=True)).ravel()
    if name == "SoftmaxGradFront":
        return np.repeat((rows * y.reshape(-1, 64)).sum(axis=1), 8)
    if name == "SumByPattern":
        return rows.sum(axis=1)
    if name == "MeanByPattern":
        return rows.mean(axis=1)
    if name == "ProdByPattern":
        return (rows * 0.25).prod(axis=1)
    raise KeyError(name)


# --- one case


def packed(flags):
    """One bit an element, lowest first."""
    return np.packbits(flags, bitorder="little")


def mask_bits(y_bits, count):
    """Select reads the first n / 8 bytes of each tile of y."""
    tile = min(count, 4096)
    flags = []
    for start in range(0, count, tile):
        raw = y_bits[start:start + tile].view(np.uint8)[:tile // 8]
        flags.append(np.unpackbits(raw, bitorder="little"))
    return np.concatenate(flags).astype(bool)


COMPARE = {"LT": np.less, "GT": np.greater, "EQ": np.equal, "LE": np.less_equal, "GE": np.greater_equal,
           "NE": np.not_equal}


def arithmetic(name, kind, target, x, y, old):
    """float64 (exact, or rounded to odd) or int64 values; None if the name is not here."""
    whole = kind not in ("half", "float")
    with np.errstate(all="ignore"):
        if name in ("Add", "Sub", "Mul"):
            return {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[name](x, y)
        if name == "Div":
            return x / y
        if name in ("Max", "Min"):
            return (np.maximum if name == "Max" else np.minimum)(x, y) if whole else \
                (larger if name == "Max" else smaller)(x, y)
        if name in ("And", "Or", "Xor"):
            return {"And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor}[name](x, y)
        if name in ("AddRelu", "SubRelu"):
            total = x + y if name == "AddRelu" else x - y
            if whole:
                return np.maximum(total.astype(np.int16), 0).astype(np.int64)
            return relu(total)
        if name == "FusedMulAdd":
            return fused(x, old, y)
        if name == "FusedMulAddRelu":
            return relu(fused(x, old, y))
        if name == "MulAddDst":
            return fused(x, y, old)
        if name == "Axpy":
            return fused(np.full(len(x), scalar(kind, -0.7501)), x, old)
        if name.startswith(("Adds", "Muls", "Maxs", "Mins", "Clamp")):
            s = scalar(kind, 12345 if whole else 0.333)
            return {"Adds": lambda: x + s, "Muls": lambda: x * s,
                    "Maxs": lambda: np.maximum(x, s) if whole else larger(x, np.full(len(x), s)),
                    "Mins": lambda: np.minimum(x, s) if whole else smaller(x, np.full(len(x), s)),
                    "Clam": lambda: np.where(x > s, s, x) if name == "ClampMax" else np.where(x < s, s, x)}[name[:4]]()
        if name == "LeakyRelu":
            return np.where((x >= 0) | np.isnan(x), x, x * scalar(kind, 0.01))
        if name == "ShiftRight":
            return x >> 5
        if name == "ShiftLeft":  # a signed number keeps its sign bit
            kept = 0 if kind.startswith("u") else np.iinfo(kind[:-2]).min
            return x & kept | x << 3 & ~kept
        if name == "Abs":
            return np.abs(x)
        if name == "Relu":
            return np.maximum(x, 0) if whole else relu(x)
        if name == "Not":
            return ~x
        if name == "Sqrt":
            return np.sqrt(x)
        if name == "Reciprocal":
            return 1.0 / x
        if name in ("Floor", "Ceil", "Trunc", "Round"):
            return {"Floor": np.floor, "Ceil": np.ceil, "Trunc": np.trunc, "Round": np.rint}[name](x)
        if name == "Frac":
            return x - np.trunc(x)
        if name == "Sign":
            return np.where(x > 0, 1.0, np.where(x < 0, -1.0, x))
        if name == "ReGlu":
            return x * relu(y)
        if name == "Fmod":
            return np.fmod(x, y)
        if name == "Operators":
            rounded = lambda v: number(kind, bits_of(kind, v))
            return rounded(rounded(x + y) * x) - y
    return None


def fused_cast(name, kind, target, x, y):
    with np.errstate(all="ignore"):
        if name == "MulCast":
            return saturated(target, np.rint(x * y)).astype(BITS[target])
        if name == "AddDeqRelu":
            return bits_of("half", relu((x + y).astype(np.int32) * 0.25))  # the sum wraps
        if name == "CastDeq":
            return np.clip(np.rint(x * 0.5).astype(np.int64) - 20, -128, 127).astype(np.uint8)
        total = relu((x + y if name == "AddReluCast" else x - y).astype(np.float64))
        if target == "half":  # the sum of two floats in float64 may be inexact
            other = y if name == "AddReluCast" else -y
            part = (x + other) - x
            rest = (x - ((x + other) - part)) + (other - part)
            return bits_of("half", relu(to_odd(x + other, np.where(np.isnan(rest), 0, rest))))
        return saturated(target, np.rint(total)).astype(BITS[target])


def computed(name, kind, target, inputs, count):
    """The bits of the results."""
    raw = [input_bits(kind, inputs, operand, count) for operand in range(3)]
    x, y, c = (number(kind, bits) for bits in raw)
    old = number(target, input_bits(target, inputs, 2, count)) if inputs == "kThree" else None
    if name.startswith("Cast") and name in ("CastOdd", *TO_INTEGRAL):
        return cast(name, kind, target, raw[0])
    if name == "CastDeqScale":
        return bits_of("half", x * 0.25)
    if name in ("AddReluCast", "SubReluCast", "MulCast", "AddDeqRelu", "CastDeq"):
        return fused_cast(name, kind, target, x, y)
    if name == "ScalarBfloat16":
        return bfloat16_of(x)
    if name == "ScalarFloat":
        return bits_of("float", x)
    if name == "Duplicate":
        tile = min(count, 4096)
        result = np.repeat(raw[0][7::tile], tile)
        return result
    if name.startswith("Compare"):
        with np.errstate(all="ignore"):
            return packed(COMPARE[name[-2:]](x, 0 if "Scalar" in name else y))
    if name in ("SelectTensors", "SelectScalar"):
        other = c if name == "SelectTensors" else np.full(count, scalar(kind, 0.333))
        return bits_of(kind, np.where(mask_bits(raw[1], count), x, other))
    if name in ROWS:
        return bits_of(target, rows_of_64(name, x, y))
    if name in ("MaxByPattern", "MinByPattern"):
        return bits_of(target, reduction("WholeReduce" + name[:3], kind, x))
    if name == "AscendQuant":
        half = lambda v: number("half", bits_of("half", v))  # every step, as documented
        return saturated(target, np.rint(half(half(half(x) * 10) + 3))).astype(BITS[target])
    if name == "AscendAntiQuant":
        return bits_of("half", (x + 2) * 0.5)
    if "Reduce" in name or name == "Sum":
        return bits_of(target, reduction(name.replace("RepeatReduce", "WholeReduce"), kind, x))
    if name in FUNCTIONS:
        values, inverse = np.unique(x.view(np.uint64), return_inverse=True)
        table = np.array([FUNCTIONS[name](v) for v in values.view(np.float64).tolist()])
        return bits_of(target, table[inverse])
    if name in PAIRS:
        return bits_of(target, np.array([PAIRS[name](a, b) for a, b in zip(x.tolist(), y.tolist())]))
    return bits_of(target, arithmetic(name, kind, target, x, y, old))


def cases():
    """The rows of ascendc_numpy_cases.cpp: name, types, inputs, whether bit by bit."""
    text = (FOLDER / "ascendc_numpy_cases.cpp").read_text()
    text = re.sub(r'"\s*\n\s*"', "", text)
    shared = dict(re.findall(r'const char\* const (\w+) =\s*"([^"]*)";', text))
    row = re.compile(r'NumpyCase\{\s*"(\w+)",\s*(?:"([^"]*)"|(\w+)),\s*(\w+),\s*"((?:[^"\\]|\\.)*)"([^}]*)\}')
    for name, types, named, inputs, _, rest in row.findall(text):
        tolerance = re.search(r"1e-\d", rest)
        bits = "kBits" in rest
        for pair in (types or shared[named]).split():
            source, _, target = pair.partition(">")
            label = f"{name}_{source}" + (f"_{target}" if target else "")
            yield name, label, source, "uint8_t" if bits else target or source, inputs, tolerance is None


def elements(kind, inputs, exact):
    size = np.dtype(BITS[kind]).itemsize
    if not exact:
        return 256
    return {"kMild": 16384, "kFew": 65536 if size == 2 else 4096, "kOne": 65536 if size <= 2 else 1 << 17}.get(
        inputs, 1 << 20 if size <= 2 else 1 << 17)


def line_of(name, label, kind, target, inputs, exact):
    bits = computed(name, kind, target, inputs, elements(kind, inputs, exact))
    assert bits.dtype == BITS[target], (label, bits.dtype)
    if not exact:
        values = number(target, bits).astype(np.float32).view(np.uint32)
        return f"{label} close {len(values)} " + " ".join(f"{v:x}" for v in values)
    with np.errstate(over="ignore"):
        i = np.arange(len(bits), dtype=U64)
        terms = (bits.astype(U64) + U64(1)) * (mix(99, i) | U64(1))
        part = i * U64(16) // U64(len(bits))
        sums = [int(terms[part == k].sum()) for k in range(16)]
    return f"{label} exact {len(bits)} " + " ".join(f"{s:x}" for s in sums)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", metavar="NAME")
    arguments = parser.parse_args()
    if arguments.show:
        for name, label, kind, target, inputs, exact in cases():
            if label == arguments.show:
                count = elements(kind, inputs, exact)
                raw = [input_bits(kind, inputs, operand, count) for operand in range(2)]
                for i, value in enumerate(computed(name, kind, target, inputs, count)):
                    print(i, f"{raw[0][min(i, count - 1)]:x} {raw[1][min(i, count - 1)]:x} {value:x}")
        return 0
    lines = [line_of(*case) for case in cases()]
    text = "\n".join(lines) + "\n"
    if arguments.write:
        FIXTURE.write_text(text)
        print(f"{len(lines)} cases, {len(text)} bytes")
        return 0
    if arguments.check:
        old = FIXTURE.read_text().splitlines()
        wrong = [line.split()[0] for line in set(lines) ^ set(old)]
        for label in sorted(set(wrong)):
            print(f"{label}: the fixture is not what numpy {np.__version__} and mpmath {mpmath.__version__} compute")
        return 1 if wrong else 0
    parser.print_help()
    return 2


if __name__ == "__main__":
    sys.exit(main())
