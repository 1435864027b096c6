"""Makes reward_reference.json: values of every operator of operators/operators.cpp from PyTorch in fp64, pass@k and a
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

# What was added later draws its inputs later, so that the older values stay.
q = torch.rand(shape, dtype=torch.float64) + 0.5
n = shape[-1]
cases.update({
    "erf": ([x], [], torch.erf(x)), "sin": ([x], [], x.sin()), "cos": ([x], [], x.cos()), "floor": ([x], [], x.floor()),
    "ceil": ([x], [], x.ceil()), "trunc": ([x], [], x.trunc()), "round": ([x], [], x.round()), "sign": ([x], [], x.sign()),
    "cube": ([x], [], x ** 3), "pow4": ([x], [], x ** 4), "expm1": ([x], [], x.expm1()), "ln1p": ([p], [], p.log1p()),
    "elu": ([x], [a], F.elu(x, alpha=a)),
    "selu": ([x], [], 1.0507 * torch.where(x > 0, x, 1.67326 * torch.expm1(x))),
    "hardsigmoid": ([x], [], F.hardsigmoid(x)), "hardtanh": ([x], [], F.hardtanh(x)), "relu6": ([x], [], F.relu6(x)),
    "softsign": ([x], [], F.softsign(x)), "mish": ([x], [], F.mish(x)), "quick_gelu": ([x], [], x * torch.sigmoid(1.702 * x)),
    "swiglu": ([x, y], [], F.silu(x) * y), "squared_difference": ([x, y], [], F.mse_loss(x, y, reduction="none")),
    "hypot": ([x, y], [], torch.hypot(x, y)), "lerp": ([x, y], [a], torch.lerp(x, y, a)),
    "abs_max": ([x, y], [], torch.maximum(x.abs(), y.abs())), "muladd": ([x, y, z], [], torch.addcmul(z, x, y)),
    "addcmul": ([x, y, z], [a], torch.addcmul(x, y, z, value=a)), "addcdiv": ([x, y, p], [a], torch.addcdiv(x, y, p, value=a)),
    "greater_equal": ([x, y], [], (x >= y).double()), "less_equal": ([x, y], [], (x <= y).double()),
    "inside": ([x], [-a, b], ((x > -a) & (x < b)).double()), "select_positive": ([x, y, z], [], torch.where(x > 0, y, z)),
    "masked_fill": ([x, y], [a], x.masked_fill(y > 0, a)),
    "to_float": ([x], [], x), "to_half": ([x], [], x), "to_bfloat16": ([x], [], x), "to_int32": ([3 * x], [], (3 * x).int().double()),
    "to_int8": ([3 * x], [], (3 * x).round()),
    "momentum": ([x, y], [b], b * x + y), "ema": ([x, y], [b], torch.lerp(y, x, b)), "ema_square": ([p, y], [b], torch.lerp(y * y, p, b)),
    "accumulate_square": ([p, y], [], torch.addcmul(p, y, y)), "descend": ([x, y], [a], torch.add(x, y, alpha=-a)),
    "descend_root": ([x, y, p], [a], torch.addcdiv(x, y, p.sqrt() + 1e-3, value=-a)), "decay": ([x], [a], x * (1 - a)),
    "sign_descend": ([x, y], [a], torch.add(x, y.sign(), alpha=-a)),
    "reduce_l1": ([x], [], x.norm(p=1, dim=-1)), "reduce_l2": ([x], [], x.norm(p=2, dim=-1)), "reduce_square_sum": ([x], [], x.square().sum(-1)),
    "reduce_range": ([x], [], x.amax(-1) - x.amin(-1)), "reduce_variance": ([x], [], x.var(-1, unbiased=False)),
    "logsumexp": ([x], [], torch.logsumexp(x, -1)), "row_dot": ([x, y], [], torch.linalg.vecdot(x, y)),
    "row_mse": ([x, y], [], F.mse_loss(x, y, reduction="none").mean(-1)), "cosine_similarity": ([x, y], [], F.cosine_similarity(x, y, dim=-1)),
    "row_cross_entropy": ([x, q], [], F.cross_entropy(x, q, reduction="none")),
    "l1_normalise": ([x], [], F.normalize(x, p=1, dim=-1)), "l2_normalise": ([x], [], x / (x.square().sum(-1, keepdim=True) + 1e-6).sqrt()),
    "min_max_normalise": ([x], [], (x - x.amin(-1, keepdim=True)) / (x.amax(-1, keepdim=True) - x.amin(-1, keepdim=True))),
    "softmin": ([x], [], F.softmin(x, dim=-1)), "cumsum": ([x], [], x.cumsum(-1)), "cumprod": ([x], [], x.cumprod(-1)), "flip": ([x], [], x.flip(-1)),
    "unsqueeze": ([x], [], x.unsqueeze(-1)), "slice": ([x], [1, 3], x[:, 1:4]), "stride_slice": ([x], [2], x[:, ::2]),
    "sum_all": ([x], [], x.sum().reshape(1)), "mean_all": ([x], [], x.mean().reshape(1)), "max_all": ([x], [], x.max().reshape(1)),
    "min_all": ([x], [], x.min().reshape(1)), "mse_loss": ([x, y], [], F.mse_loss(x, y).reshape(1)), "l1_loss": ([x, y], [], F.l1_loss(x, y).reshape(1)),
    "hinge_loss": ([x, y], [], F.relu(1 - x * y).mean().reshape(1)), "kl_div_loss": ([x, q], [], F.kl_div(x, q, reduction="mean").reshape(1)),
    "bce_logits_loss": ([x, q], [], F.binary_cross_entropy_with_logits(x, q).reshape(1)),
    "soft_margin_loss": ([x, y], [], F.soft_margin_loss(x, y).reshape(1)), "huber_loss": ([x, y], [a], F.huber_loss(x, y, delta=a).reshape(1)),
    "col_sum": ([x], [], x.sum(-2)), "col_mean": ([x], [], x.mean(-2)), "col_max": ([x], [], x.amax(-2)), "col_min": ([x], [], x.amin(-2)),
    "max_pool": ([x], [3, 2], F.max_pool1d(x, 3, 2)), "avg_pool": ([x], [2, 1], F.avg_pool1d(x, 2, 1)), "min_pool": ([x], [2, 3], -F.max_pool1d(-x, 2, 3)),
})
rows, columns, each = torch.tensor([2, 0, 1, 2]), torch.tensor([4, 0, 3]), torch.tensor([1, 4, 2])
right = torch.randn((n, 4), dtype=torch.float64)
cases.update({
    "gather_rows": ([x, rows.double()], [], x[rows]), "take": ([x, columns.double()], [], x[:, columns]),
    "pick": ([x, each.double()], [], x.gather(1, each[:, None])[:, 0]), "matmul": ([x, right], [], x @ right),
})
cases["celu"] = ([x], [a], F.celu(x, alpha=a))
cases["hardshrink"] = ([x], [a], F.hardshrink(x, lambd=a))
cases["logsigmoid"] = ([x], [], F.logsigmoid(x))

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

# A line for each operator, so that one more is one line more.
operators = [{"name": name, "inputs": [t.flatten().tolist() for t in inputs], "input_shapes": [list(t.shape) for t in inputs],
              "attributes": attributes, "output": out.flatten().tolist(), "output_shape": list(out.shape)}
             for name, (inputs, attributes, out) in cases.items()]
print('{"operators": [\n' + ",\n".join(map(json.dumps, operators)) + "\n],")
print(json.dumps({"shape": list(shape), "rounding": rounding, "pass_at_k": pass_at_k})[1:])
