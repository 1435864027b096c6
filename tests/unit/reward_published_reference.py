"""Writes reward_published_reference.json: verdicts of PyTorch on small tensors by the rules that benchmark checkers follow.

    python tests/unit/reward_published_reference.py > tests/unit/reward_published_reference.json
"""

import json
import random

import torch

TINY = 1e-7


def both(a, b, absolute, relative, finite):
    if b.dtype == torch.bool:
        a, b = a.to(torch.int), b.to(torch.int)
    difference = torch.abs(a - b)
    quotient = difference / (torch.abs(a) + TINY)
    good = True
    if finite:
        good = all(bool(torch.isfinite(t).all()) for t in (a, b, difference, quotient))
    return good and not bool(((difference > absolute) & (quotient > relative)).any())


def exact(a, b):
    return not bool((torch.abs(a - b) > 0).any())


def scaled(a, b, relative):
    return not bool((torch.abs(a - b) > relative * torch.maximum(torch.tensor(1.0), torch.abs(a))).any())


def ratio(a, b, bound):
    difference = torch.abs(a - b)
    quotient = difference / (torch.maximum(torch.abs(a), torch.abs(b)) + TINY)
    most = a.numel() * bound
    return not bool(torch.sum(quotient > bound) > most and torch.sum(difference > bound) > most)


def verdict(rule, a, b):
    name, absolute, relative = rule["name"], rule["absolute"], rule["relative"]
    try:
        if name == "both":
            return both(a, b, absolute, relative, True)
        if name == "both_or_not_finite":
            return both(a, b, absolute, relative, False)
        if name == "exact":
            return exact(a, b)
        if name == "scaled":
            return scaled(a, b, relative)
        if name == "scaled_float32":
            return scaled(a.float(), b.float(), relative)
        if name == "allclose":  # as MultiKernelBench's utils/correctness.py chooses
            if a.shape != b.shape:
                return False
            if torch.bool in (a.dtype, b.dtype):
                return torch.equal(a, b)
            return torch.allclose(a, b, atol=absolute, rtol=relative)
        return ratio(a, b, relative)
    except RuntimeError:  # what PyTorch refuses to subtract or to broadcast fails the case
        return False


RULES = [{"name": "both", "absolute": x, "relative": x} for x in (1e-3, 1e-5, 1e-2, 0.2)]
RULES += [{"name": "both_or_not_finite", "absolute": 0.01, "relative": 0.01}, {"name": "exact", "absolute": 0, "relative": 0}]
RULES += [{"name": "scaled", "absolute": 0, "relative": x} for x in (1 / 512, 1 / 256 + 1 / 16384, 1 / 2048 + 1 / 16384, 1.0)]
RULES += [{"name": "scaled_float32", "absolute": 0, "relative": x} for x in (1 / 256, 1 / 64, 1 / 2048)]
RULES += [{"name": "ratio", "absolute": x, "relative": x} for x in (0.001, 0.003)]
FLOATS = [torch.float32, torch.float16, torch.bfloat16]
INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool]
SHAPES = [([7], [7]), ([], []), ([], [1]), ([1], []), ([2, 3], [2, 3]), ([3], [2, 3]), ([2, 1], [1, 3]), ([4], [3]), ([500], [500])]


def draw(shape, dtype, chance):
    if dtype in INTEGERS:
        high = {torch.bool: 2, torch.uint8: 256}.get(dtype, 128)
        low = 0 if dtype in (torch.bool, torch.uint8) else -128
        return torch.randint(low, high, shape).to(dtype)
    return (torch.randn(shape) * 10 ** chance.uniform(-4, 4)).to(dtype)


def near(a, shape, dtype, chance):
    b = a.clone().to(torch.float64)
    if list(b.shape) != shape:
        return draw(shape, dtype, chance)
    step = 10 ** chance.uniform(-6, 0)
    kind = chance.randrange(6)
    if kind < 3:
        b = b * (1 + step * torch.randn(b.shape, dtype=torch.float64))
    elif kind == 3:
        b = b + step
    elif kind == 4 and b.numel():
        b.reshape(-1)[chance.randrange(b.numel())] += chance.choice([1, -1, 127, step])
    return b.to(dtype)


def spoil(t, chance):
    if t.is_floating_point() and t.numel():
        t.reshape(-1)[chance.randrange(t.numel())] = chance.choice([float("inf"), float("-inf"), float("nan"), 65504.0, 6e-8])
    return t


def cell(t):
    raw = t.contiguous().reshape(-1).view(torch.uint8).tolist() if t.dim() else t.reshape(1).view(torch.uint8).tolist()
    return {"dtype": str(t.dtype).removeprefix("torch."), "shape": list(t.shape), "hex": bytes(raw).hex()}


def main():
    chance = random.Random(5)
    torch.manual_seed(5)
    cases = []
    for i in range(1500):
        integer = chance.random() < 0.3
        expected_type = chance.choice(INTEGERS if integer else FLOATS)
        found_type = expected_type if chance.random() < 0.7 else chance.choice(INTEGERS + FLOATS)
        shape, other = chance.choice(SHAPES[:-1] if i % 10 else SHAPES)
        a = draw(shape, expected_type, chance)
        b = near(a, other, found_type, chance)
        if chance.random() < 0.15:
            a = spoil(a, chance)
        if chance.random() < 0.15:
            b = spoil(b, chance)
        if chance.random() < 0.1 and list(a.shape) == other:
            b = a.to(found_type)
        rule = chance.choice(RULES)
        cases.append({"rule": rule, "expected": cell(a), "found": cell(b), "pass": verdict(rule, a, b)})
    for i in range(600):
        expected_type = chance.choice(FLOATS + [torch.float64] if i % 4 else INTEGERS)
        found_type = expected_type if chance.random() < 0.9 else chance.choice(INTEGERS + FLOATS)
        shape, other = SHAPES[4] if i % 8 else chance.choice(SHAPES[:-1])
        a = draw(shape, expected_type, chance)
        b = near(a, other, found_type, chance)
        if i % 3 == 0 and a.shape == b.shape:  # around the bound
            b = (a.double() + (1e-4 + 1e-4 * a.double().abs()) * (1 + 0.01 * torch.randn(a.shape))).to(found_type)
        if chance.random() < 0.15:
            a = spoil(a, chance)
        if chance.random() < 0.3 and a.shape == b.shape:
            b = a.to(found_type)
        cases.append({"rule": {"name": "allclose", "absolute": 1e-4, "relative": 1e-4}, "expected": cell(a), "found": cell(b),
                      "pass": verdict({"name": "allclose", "absolute": 1e-4, "relative": 1e-4}, a, b)})
    print(json.dumps(cases, separators=(",", ":")).replace('{"rule"', '\n{"rule"'))


main()
