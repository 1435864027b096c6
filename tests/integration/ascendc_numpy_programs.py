#!/usr/bin/env python3
"""What numpy computes for the kernels of ascendc_numpy_programs.csv.

  ascendc_numpy_programs.py --write        writes ascendc_numpy_programs_fixture.txt beside this file
  ascendc_numpy_programs.py --check        fails if that file is not what is computed here
  ascendc_numpy_programs.py --show NAME/K  prints output K of a program, in hexadecimal

Inputs come from the recipes of ascendc_numpy_fixture.cpp, except which of them is which: that is here too. Everything
is compared bit by bit. Sums of products are exact in integers; of floats they are added in the order of k with one
rounding each (numpy has no such sum: float64, rounded to odd, then to float32), and held against math.fsum.
"""
import argparse
import csv
import math
import pathlib
import sys

import numpy as np

from ascendc_numpy_reference import (BITS, NUMBER, SPECIALS, U64, bfloat16_of, bits_of, fused, input_bits, larger, mix,
                                     number, relu, smaller)

FOLDER = pathlib.Path(__file__).resolve().parent
FIXTURE = FOLDER / "ascendc_numpy_programs_fixture.txt"
REALS = ("half", "bfloat16_t", "float")
BITS = {**BITS, "uint64_t": np.uint64}

# --- inputs


def calm(kind, bits):
    if kind == "half":
        return np.where((bits & U64(0x7C00)) == U64(0x7C00), bits ^ U64(0x4000), bits)
    if kind == "bfloat16_t":
        return (bits & U64(0x807F)) | (((bits >> U64(7)) & U64(0x7F)) + U64(64)) << U64(7)
    if kind == "float":
        return (bits & U64(0x807FFFFF)) | (((bits >> U64(23)) & U64(0x7F)) + U64(64)) << U64(23)
    return bits


def recipe_bits(kind, recipe, operand, count):
    i = np.arange(count, dtype=U64)
    random = mix(operand, i)
    bits_of_kind = np.dtype(BITS[kind]).itemsize * 8
    everything = U64((1 << bits_of_kind) - 1)
    if recipe == "raw":
        if bits_of_kind <= 16:
            return (random & everything).astype(BITS[kind])
        return input_bits(kind, "kTwo", operand, count)
    if recipe == "wide":
        bits = random & everything
        return np.where(i % U64(997) == U64(996), bits, calm(kind, bits)).astype(BITS[kind])
    if recipe == "mild":
        bits = input_bits("half" if kind == "half" else "float", "kMild", operand, count)
        return (bits >> np.uint32(16)).astype(np.uint16) if kind == "bfloat16_t" else bits
    if recipe == "ties":
        values = (random % U64(7)).astype(np.int64) - 3
        negative = (values < 0) | ((values == 0) & ((random >> U64(32) & U64(1)) != 0))
        return np.copysign(np.abs(values), np.where(negative, -1.0, 1.0)).astype(NUMBER[kind]).view(BITS[kind])
    if recipe == "scales":
        factor = (U64(0x3B000000) + random % U64(0x4000000)) // U64(8192) * U64(8192)
        return factor | (random >> U64(32) & U64(0x1FF)) << U64(37)
    _, choices, step = recipe.split("/")
    return (random % U64(int(choices)) * U64(int(step))).astype(BITS[kind])


# --- products


def rounded_to_float(values):
    with np.errstate(all="ignore"):
        return values.astype(np.float32).astype(np.float64)


def product(a, b, start, whole):
    """a (m, k) times b (k, n) on top of start (m, n)."""
    if whole:
        return (a @ b + start).astype(np.int32).astype(np.int64)
    total = start.copy()
    with np.errstate(all="ignore"):
        for k in range(a.shape[1]):
            left, right = np.broadcast_arrays(a[:, k:k + 1], b[k:k + 1, :])
            total = rounded_to_float(fused(left.ravel(), right.ravel(), total.ravel())).reshape(total.shape)
    # However it adds, a sum of n floats is within n units of the sum of the magnitudes.
    for row, column in ((0, 0), (a.shape[0] - 1, b.shape[1] - 1), (a.shape[0] // 2, b.shape[1] // 3)):
        terms = [float(x) * float(y) for x, y in zip(a[row], b[:, column])] + [float(start[row, column])]
        if all(math.isfinite(t) for t in terms) and math.isfinite(total[row, column]):
            scale = math.fsum(abs(t) for t in terms) * 2.0**-23 + 2.0**-149
            assert abs(math.fsum(terms) - total[row, column]) <= len(terms) * scale
    return total


def quantised(values, p, scales, whole):
    """Fixpipe: a word's float (19 bits) times the value, Relu, to nearest even, then the offset, saturating."""
    target = p["OUT"]
    if target == p["ACC"]:
        return bits_of(target, np.maximum(values, 0) if whole and p["RELU"] else relu(values) if p["RELU"] else values)
    real = rounded_to_float(values.astype(np.float64))
    offsets = np.zeros(values.shape[1], dtype=np.int64)
    if p.get("BY_COLUMN") or p.get("SCALE"):
        words = scales[:values.shape[1]] if p["BY_COLUMN"] else np.full(values.shape[1], p["SCALE"], dtype=U64)
        factors = (words & U64(0xFFFFE000)).astype(np.uint32).view(np.float32).astype(np.float64)
        raw = (words >> U64(37) & U64(0x1FF)).astype(np.int64)
        offsets = np.where(raw >= 256, raw - 512, raw)
        with np.errstate(all="ignore"):
            real = rounded_to_float(real * factors)
    if p["RELU"]:
        real = relu(real)
    if target in ("half", "bfloat16_t"):
        return bfloat16_of(real) if target == "bfloat16_t" else bits_of("half", real)
    whole_numbers = np.rint(np.where(np.isnan(real), 0.0, np.clip(real, -1e6, 1e6))).astype(np.int64)
    total = np.where(np.isnan(real), 0, whole_numbers + offsets)
    low, high = (-128, 127) if target == "int8_t" else (0, 255)
    return np.clip(total, low, high).astype(np.uint8)


def mmad(p, a, b, scales, bias):
    whole = p["ACC"] == "int32_t"
    m, n, k = p["ROWS"], p["COLUMNS"], p["INNER"]
    left, right = number(p["IN"], a), number(p["IN"], b)
    left = left.reshape(k, m).T if p["A_TURNED"] else left.reshape(m, k)
    right = right.reshape(n, k).T if p["B_TURNED"] else right.reshape(k, n)
    start = number(p["ACC"], bias)[:n] if p["BIAS"] else np.zeros(n, dtype=np.int64 if whole else np.float64)
    total = product(left, right, np.broadcast_to(start, (m, n)), whole)
    result = quantised(total, {"RELU": 0, **p}, scales, whole)
    if p.get("NZ"):  # columns of fractals, rows inside
        width = 32 if result.dtype == np.uint8 else 16
        result = result.reshape(m, n // width, width).transpose(1, 0, 2)
    return [result.ravel()]


# --- sorts


def order_of(values, largest=True):
    """Stable, NaN first."""
    return sorted(range(len(values)),
                  key=lambda i: (0, 0.0) if math.isnan(values[i]) else (1, -values[i] if largest else values[i]))


def records(score, index, order):
    return np.stack([score.astype(np.uint32)[order], index[order]], axis=1).ravel()


def sort(p, score, index):
    values = number(p["T"], score).tolist()
    group = p["COUNT"] if p["FULL"] else 32
    order = [start + i for start in range(0, p["COUNT"], group) for i in order_of(values[start:start + group])]
    return [records(score, index, order), canonical(p["T"], score[order]), index[order]]


def merge(p, score, index):
    values = number(p["T"], score).tolist()
    bounds = [(0, 32), (32, 96), (96, 192), (192, 224)][:p["LISTS"]]
    first = [start + i for start, end in bounds for i in order_of(values[start:end])]
    order = [first[i] for i in order_of([values[i] for i in first])]
    inside = [[start <= i < end for i in order] for start, end in bounds]
    if p["SUSPENDS"] == "true":  # behind the last record of the list that is used up first
        end = min(len(order) - flags[::-1].index(True) for flags in inside)
        order, inside = order[:end], [flags[:end] for flags in inside]
    result = np.full(448, 7, dtype=np.uint32)
    result[:2 * len(order)] = records(score, index, order)
    taken = np.zeros(8, dtype=np.uint32)
    taken[:p["LISTS"]] = [sum(flags) for flags in inside]
    return [result, taken]


def top_k(p, score, index):
    rows = score.reshape(p["ROWS"], p["INNER"])[:, :p["VALID"]]
    values, places = [], []
    for row in rows:
        order = order_of(number(p["T"], row.copy()).tolist(), p["LARGEST"] == "true")[:p["K"]]
        values.append(row[order])
        places.append(index[order] if p["GIVEN"] == "true" else np.array(order, dtype=np.uint32))
    return [canonical(p["T"], np.concatenate(values)), np.concatenate(places)]


# --- the rest


def canonical(kind, bits):
    """NaN without payload, as the test compares."""
    if kind not in REALS:
        return bits
    nan = {"half": 0x7E00, "bfloat16_t": 0x7FC0, "float": 0x7FC00000}[kind]
    return np.where(np.isnan(number(kind, bits)), BITS[kind](nan), bits)


def real_bits(kind, values):
    return bfloat16_of(once_to_float(values)) if kind == "bfloat16_t" else bits_of(kind, values)


def once_to_float(values):
    """float64 to float32, rounded to odd, so that a second rounding to bfloat16 is right."""
    with np.errstate(all="ignore"):
        near = values.astype(np.float32)
        away = np.abs(near.astype(np.float64)) > np.abs(values)
        bits = near.view(np.uint32).copy()
        inexact = np.isfinite(near) & (near.astype(np.float64) != values)
        bits = np.where(inexact & away, bits - np.uint32(1), bits)
        bits = np.where(inexact, bits | np.uint32(1), bits).astype(np.uint32)
        return bits.view(np.float32)


def atomics(p, start, x):
    kind, whole = p["T"], p["T"] not in REALS
    total = number(kind, start)
    for share in number(kind, x).reshape(-1, p["COUNT"]):
        with np.errstate(all="ignore"):
            if p["ATOMIC"] == "SetAtomicAdd":
                total = total + share
            elif whole:
                total = (np.maximum if p["ATOMIC"] == "SetAtomicMax" else np.minimum)(total, share)
            else:
                total = (larger if p["ATOMIC"] == "SetAtomicMax" else smaller)(total, share)
        total = number(kind, real_bits(kind, total))
    return [real_bits(kind, total)]


def gather(p, x, offset, block):
    size = x.dtype.itemsize
    blocks = x.reshape(-1, 32 // size)[block // 32]
    return [canonical(p["T"], x[(offset + 64) // size]), canonical(p["T"], blocks.ravel())]


def gather_mask(p, x, mask):
    place = np.arange(p["COUNT"])
    if p["PATTERN"] == 0:  # 32 bytes of bits a repeat
        keeps = np.unpackbits(np.concatenate([mask, mask]).view(np.uint8), bitorder="little")[:p["COUNT"]].astype(bool)
    else:
        keeps = [place % 2 == 0, place % 2 == 1, place % 4 == 0, place % 4 == 1, place % 4 == 2, place % 4 == 3,
                 place >= 0][p["PATTERN"] - 1]
    if p["COUNTED"]:
        keeps = keeps & (place < p["COUNT"] - 5)
    result = np.zeros(p["COUNT"], dtype=x.dtype)
    chosen = x[keeps]
    result[:len(chosen)] = chosen
    return [canonical(p["T"], result), np.array([len(chosen)] + [0] * 7, dtype=np.uint32)]


def to_int8(values):
    return np.clip(np.rint(np.where(np.isnan(values), 0.0, values)), -128, 127).astype(np.int64).astype(np.uint8)


def in_half(values):
    return number("half", bits_of("half", values))


def quant(p, x, scale, offset):
    """As documented: everything cast to half, Mul, Add, Cast."""
    kind = p["T"]
    rows = in_half(number(kind, x).reshape(-1, p["COLUMNS"]))
    scales = np.float64(3.25) if p["FORM"] == 0 else in_half(number(kind, scale))
    offsets = np.float64(-1.5) if p["FORM"] < 2 else in_half(number(kind, offset))
    with np.errstate(all="ignore"):
        return [to_int8(in_half(in_half(rows * scales) + offsets).ravel())]


def dequant(p, x, scale):
    """As documented: both cast to float, Mul, Cast."""
    rows = rounded_to_float(number("int32_t", x).reshape(p["DEALT_ROWS"], -1)[:, :p["VALID"]].astype(np.float64))
    if p["FORM"] == 1:
        scales = np.float64(0.0625)
    elif p["S"] == "uint64_t":  # a float in the low half
        scales = (scale & U64(0xFFFFFFFF)).astype(np.uint32).view(np.float32).astype(np.float64)[:p["VALID"]]
    else:
        scales = number(p["S"], scale)[:p["VALID"]]
    return [real_bits(p["OUT"], rounded_to_float(rows * scales).ravel())]


def anti_quant(p, x, scale, offset):
    """As documented: Add and Mul in half; for bfloat16_t in float, and a Cast at the end."""
    step = in_half if p["T"] == "half" else rounded_to_float
    rows = number("int8_t", x).reshape(p["GROUPS"], -1, p["COLUMNS"]).astype(np.float64)
    scales, offsets = (number(p["T"], bits).reshape(p["GROUPS"], 1, p["COLUMNS"]) for bits in (scale, offset))
    return [real_bits(p["T"], step(step(rows + offsets) * scales).ravel())]


KERNELS = {"mmad": mmad, "matmul": mmad, "sort": sort, "merge": merge, "top_k": top_k, "atomics": atomics,
           "gather": gather, "gather_mask": gather_mask, "quant": quant, "dequant": dequant, "anti_quant": anti_quant}

# --- all


def parameter(text):
    text = text.removesuffix("ull")
    try:
        return int(text, 0)
    except ValueError:
        return text


def outputs_of(row):
    p = {name: parameter(value) for name, value in (d.split("=") for d in row["definitions"].split())}
    inputs = []
    for operand, text in enumerate(row["inputs"].split()):
        kind, recipe, count = text.split(":")
        inputs.append(recipe_bits(kind, recipe, operand, int(count)))
    results = KERNELS[row["kernel"]](p, *inputs)
    for k, (bits, text) in enumerate(zip(results, row["outputs"].split(), strict=True)):
        kind, count = text.split(":")
        assert len(bits) == int(count) and bits.dtype == BITS[kind], (row["name"], k, bits.dtype, len(bits))
        yield f"{row['name']}/{k}", bits


def line_of(name, bits):
    with np.errstate(over="ignore"):
        i = np.arange(len(bits), dtype=U64)
        terms = (bits.astype(U64) + U64(1)) * (mix(99, i) | U64(1))
        part = i * U64(16) // U64(len(bits))
        sums = [int(terms[part == k].sum()) for k in range(16)]
    return f"{name} exact {len(bits)} " + " ".join(f"{s:x}" for s in sums)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", metavar="NAME/K")
    arguments = parser.parse_args()
    with open(FOLDER / "ascendc_numpy_programs.csv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    if arguments.show:
        for row in rows:
            if row["name"] == arguments.show.split("/")[0]:
                print("\n".join(f"{i} {b:x}" for name, bits in outputs_of(row) if name == arguments.show
                                for i, b in enumerate(bits)))
        return 0
    lines = [line_of(*output) for row in rows for output in outputs_of(row)]
    text = "\n".join(lines) + "\n"
    if arguments.write:
        FIXTURE.write_text(text)
        print(f"{len(rows)} programs, {len(lines)} outputs, {len(text)} bytes")
        return 0
    if arguments.check:
        wrong = sorted({line.split()[0] for line in set(lines) ^ set(FIXTURE.read_text().splitlines())})
        for name in wrong:
            print(f"{name}: the fixture is not what numpy {np.__version__} computes")
        return 1 if wrong else 0
    parser.print_help()
    return 2


if __name__ == "__main__":
    sys.exit(main())
