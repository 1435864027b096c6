"""Makes reward_reference.json: values of every operator of reward/operators.cpp from PyTorch in fp64, pass@k and a
Clopper-Pearson bound from exact rational arithmetic. Run with a python that has torch:
    python tests/unit/reward_reference.py > tests/unit/reward_reference.json
"""
import json
from fractions import Fraction
from math import comb

import torch
import torch.nn.functional as F

torch.manual_seed(3)
shape = (3, 5)
x = torch.randn(shape, dtype=torch.float64)
y = torch.randn(shape, dtype=torch.float64)
z = torch.randn(shape, dtype=torch.float64)
p = torch.rand(shape, dtype=torch.float64) + 0.5  # positive
a, b = 0.3, 0.9

cases = {
    "add": ([x, y], [], x + y), "sub": ([x, y], [], x - y), "mul": ([x, y], [], x * y), "div": ([x, p], [], x / p),
    "max": ([x, y], [], torch.maximum(x, y)), "min": ([x, y], [], torch.minimum(x, y)),
    "axpy": ([x, y], [a], a * x + y), "adds": ([x], [a], x + a), "muls": ([x], [a], x * a),
    "maxs": ([x], [a], x.clamp(min=a)), "mins": ([x], [a], x.clamp(max=a)), "clamp": ([x], [a, b], x.clamp(a, b)),
    "neg": ([x], [], -x), "abs": ([x], [], x.abs()), "square": ([x], [], x.square()), "exp": ([x], [], x.exp()),
    "ln": ([p], [], p.log()), "sqrt": ([p], [], p.sqrt()), "rsqrt": ([p], [], p.rsqrt()),
    "reciprocal": ([p], [], p.reciprocal()), "relu": ([x], [], F.relu(x)),
    "leaky_relu": ([x], [a], F.leaky_relu(x, a)), "sigmoid": ([x], [], torch.sigmoid(x)),
    "tanh": ([x], [], torch.tanh(x)), "silu": ([x], [], F.silu(x)), "gelu": ([x], [], F.gelu(x, approximate="tanh")),
    "softplus": ([x], [], F.softplus(x)), "hardswish": ([x], [], F.hardswish(x)),
    "threshold": ([x], [a, b], F.threshold(x, a, b)), "step": ([x], [a], (x > a).double()),
    "greater": ([x, y], [], (x > y).double()), "less": ([x, y], [], (x < y).double()),
    "select_gt": ([x, y, z], [], torch.where(x > y, x, z)), "select_lt": ([x, y, z], [], torch.where(x < y, x, z)),
    "reduce_sum": ([x], [], x.sum(-1)), "reduce_mean": ([x], [], x.mean(-1)),
    "reduce_max": ([x], [], x.amax(-1)), "reduce_min": ([x], [], x.amin(-1)),
    "softmax": ([x], [], x.softmax(-1)), "log_softmax": ([x], [], x.log_softmax(-1)),
    "layer_norm": ([x], [1e-5], F.layer_norm(x, shape[-1:], eps=1e-5)),
    "rms_norm": ([x], [1e-5], F.rms_norm(x, shape[-1:], eps=1e-5)),
    "row_center": ([x], [], x - x.mean(-1, keepdim=True)), "row_scale_max": ([p], [], p / p.amax(-1, keepdim=True)),
}

rounding = []
specials = [0.0, -0.0, 1.0, -1.5, 65504.0, 65519.9, 65520.0, 1e6, 6e-8, 2.9e-8, 3e-8, 5.9604644775390625e-08, 1e-40, 3.4e38, 0.1]
values = specials + torch.randn(200, dtype=torch.float64).mul(10).tolist() + (torch.randn(50, dtype=torch.float64) * 1e-5).tolist()
for name, dtype in (("float16", torch.float16), ("bfloat16", torch.bfloat16), ("float32", torch.float32)):
    for value in values:
        # One rounding from fp64: torch goes through fp32 for bf16, so values are first put on the fp32 grid.
        exact = torch.tensor(value, dtype=torch.float64).float().double()
        rounded = exact.to(dtype).double().item()
        rounding.append([name, exact.item(), rounded if abs(rounded) != float("inf") else ("inf" if rounded > 0 else "-inf")])

pass_at_k = []
for n, c, k in ((8, 0, 1), (8, 8, 1), (8, 3, 1), (8, 3, 4), (10, 1, 10), (100, 7, 10), (200, 13, 100), (8, 5, 8)):
    pass_at_k.append([n, c, k, float(1 - Fraction(comb(n - c, k), comb(n, k)))])

json.dump({
    "operators": [{"name": name, "inputs": [t.flatten().tolist() for t in inputs], "attributes": attributes,
                   "output": out.flatten().tolist(), "output_shape": list(out.shape)}
                  for name, (inputs, attributes, out) in cases.items()],
    "shape": list(shape), "rounding": rounding, "pass_at_k": pass_at_k}, __import__("sys").stdout)
print()
