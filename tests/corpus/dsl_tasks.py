"""What the programs below a folder dsl_programs/ compute, at sizes that take milliseconds: inputs and the values wanted."""

import functools
import math

import numpy as np

from own_tasks import graph_task, numbers_task, spec

CORES = 48


def drawn(seed, shape, low=0.0, high=1.0):
    """Inputs as the kernel gets them: rounded to float, computed with in fp64."""
    random = np.random.RandomState(seed)
    return random.uniform(low, high, shape).astype(np.float32).astype(np.float64)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def normalised(x, axes):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


def norm(x):
    return np.sqrt((x * x).sum())


def one(value):
    return np.array([value])


def pooled(x, dimensions, k, s, p, largest):
    fill = -np.inf if largest else 0.0
    x = np.pad(x, [(0, 0)] * (x.ndim - dimensions) + [(p, p)] * dimensions, constant_values=fill)
    for axis in range(x.ndim - dimensions, x.ndim):
        count = (x.shape[axis] - k) // s + 1
        parts = [np.take(x, range(i, i + (count - 1) * s + 1, s), axis) for i in range(k)]
        x = functools.reduce(np.maximum if largest else np.add, parts)
    return x if largest else x / k**dimensions


ERF = np.vectorize(math.erf)
ELEMENTWISE = {
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "gelu": lambda x: 0.5 * x * (1 + ERF(x / math.sqrt(2))),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "min_gpt_new_gelu": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "relu": lambda x: np.maximum(x, 0),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "sigmoid": sigmoid,
    "softplus": lambda x: np.log1p(np.exp(x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "swish": lambda x: x * sigmoid(x),
    "tanh": np.tanh,
}
ROWS = {  # of tensors with a last axis longer than a tile
    "softmax": softmax,
    "log_softmax": lambda x: np.log(softmax(x)),
    "cumprod": lambda x: np.cumprod(x, -1),
    "cumsum": lambda x: np.cumsum(x, -1),
    "cumsum_exclusive": lambda x: np.cumsum(x, -1) - x,
    "cumsum_reverse": lambda x: np.cumsum(x[:, ::-1], -1)[:, ::-1],
    "matrix_scalar_multiplication": lambda x: x * 3.14,
    "l1_norm": lambda x: x / np.abs(x).mean(-1, keepdims=True),
    "l2_norm": lambda x: x / np.sqrt((x * x).sum(-1, keepdims=True)),
}
IMAGES = {  # [batch, features, height, width]
    "batch_norm": lambda x: normalised(x, (0, 2, 3)),
    "frobenius_norm": lambda x: x / norm(x),
    "group_norm": lambda x: normalised(x.reshape(x.shape[0], 8, -1), -1).reshape(x.shape),
    "instance_norm": lambda x: normalised(x, (2, 3)),
    "layer_norm": lambda x: normalised(x, (1, 2, 3)),
    "rms_norm": lambda x: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5),
}
REDUCTIONS = {
    "max_reduction_over_a_dimension": lambda x: x.max(1),
    "mean_reduction_over_a_dimension": lambda x: x.mean(1),
    "min_reduction_over_a_dimension": lambda x: x.min(1),
    "product_reduction_over_a_dimension": lambda x: x.prod(1),
    "sum_reduction_over_a_dimension": lambda x: x.sum(1, keepdims=True),
}
POOLING = {  # shape, dimensions, window, stride, padding, maximum
    "average_pooling_1d": ((2, 6, 4104), 1, 8, 1, 4, False),
    "average_pooling_2d": ((1, 4, 66, 70), 2, 11, 11, 0, False),
    "average_pooling_3d": ((1, 2, 8, 16, 32), 3, 3, 2, 1, False),
    "max_pooling_1d": ((2, 24, 1000), 1, 8, 1, 4, True),
    "max_pooling_2d": ((1, 3, 40, 64), 2, 4, 1, 1, True),
    "max_pooling_3d": ((1, 2, 8, 16, 32), 3, 3, 2, 1, True),
}
SEVERAL = {  # losses and optimisers: shape, number of inputs, what is wanted
    "cosine_similarity_loss": ((50, 1001), 2, lambda p, y: one(
        np.mean(1 - (p * y).sum(-1) / np.sqrt((p * p).sum(-1) * (y * y).sum(-1))))),
    "huber_loss": ((64, 1000), 2, lambda p, y: one(
        np.mean(np.where(np.abs(p - y) < 1, 0.5 * (p - y) ** 2, np.abs(p - y) - 0.5)))),
    "kl_div_loss": ((24, 2048), 2, lambda p, y: one((y * (np.log(y) - np.log(p))).sum() / len(p))),
    "mse_loss": ((64, 1000), 2, lambda p, y: one(np.mean((p - y) ** 2))),
    "triplet_margin_loss": ((50, 1001), 3, lambda a, p, n: one(
        np.mean(np.maximum(np.sqrt(((a - p + 1e-6) ** 2).sum(-1)) - np.sqrt(((a - n + 1e-6) ** 2).sum(-1)) + 1, 0)))),
    "adagrad": ((128, 513), 3, lambda p, g, s: p - 0.01 * g / (np.sqrt(s + g * g) + 1e-10)),
    "adam": ((128, 513), 4, lambda p, g, m, v: p - 0.001 * ((0.9 * m + 0.1 * g) / 0.1)
             / (np.sqrt((0.999 * v + 0.001 * g * g) / 0.001) + 1e-8)),
    "lamb": ((128, 513), 3, lambda p, m, v: p - 1e-3 * norm(p) / (norm(m / (np.sqrt(v) + 1e-6)) + 1e-6)
             * m / (np.sqrt(v) + 1e-6)),
    "rmsprop": ((128, 513), 3, lambda p, g, v: p - 0.001 * g / (np.sqrt(0.99 * v + 0.01 * g * g) + 1e-8)),
    "sgd": ((128, 513), 3, lambda p, g, v: p - 0.01 * (0.9 * v + g)),
}


def floats(*arrays):
    return [("FLOAT32", array) for array in arrays]


def cross_entropy():
    p, y = drawn(7, (40, 4096)), np.floor(drawn(8, 40, 0, 4096))
    return floats(p) + [("INT64", y)], one(-np.mean(np.log(softmax(p))[np.arange(40), y.astype(int)]))


def hinge():
    p, y = drawn(9, (24, 4096)), np.where(drawn(3, 4096) < 0.5, -1.0, 1.0)
    return floats(p, y), one(np.mean(np.maximum(1 - p * y, 0)))


def masked_cumsum():
    x, mask = drawn(1, (12, 10000)), np.where(drawn(5, (12, 10000)) < 0.5, 0.0, 1.0)
    return floats(x) + [("BOOL", mask)], np.cumsum(x * mask, -1)


APART = {"cross_entropy_loss": cross_entropy, "hinge_loss": hinge, "masked_cumsum": masked_cumsum}


def values_of(name):
    """Inputs and the output wanted."""
    if name in APART:
        return APART[name]()
    if name in SEVERAL:
        shape, count, wanted = SEVERAL[name]
        inputs = [drawn(10 + i, shape, 0.05, 1) for i in range(count)]
        return floats(*inputs), wanted(*inputs)
    if name in POOLING:
        shape, dimensions, k, s, p, largest = POOLING[name]
        x = drawn(4, shape, -1, 1)
        return floats(x), pooled(x, dimensions, k, s, p, largest)
    for functions, x in ((ELEMENTWISE, drawn(1, (8, 12345), -4, 4)), (IMAGES, drawn(1, (4, 16, 24, 40))),
                         (ROWS, drawn(2, (20, 32768), 0.999, 1.001) if name == "cumprod" else drawn(2, (20, 32768))),
                         (REDUCTIONS, drawn(3, (4, 64, 1500), 0.9, 1.1))):
        if name in functions:
            return floats(x), functions[name](x)
    return None


def task_of(name):
    """(task, tensors) of the program `name`, None of one that is not known here."""
    if name in MHC:
        return MHC[name](), []
    values = values_of(name)
    return values and numbers_task(f"dsl/{name}", *values, entry="custom_op", blocks=CORES)


def mhc_post(tokens=64, channels=256):
    inputs = [spec("x", "BFLOAT16", (tokens, channels), "UNIFORM", -1, 1),
              spec("r", "BFLOAT16", (tokens, 4, channels), "UNIFORM", -1, 1),
              spec("p", "FLOAT32", (tokens, 4), "UNIFORM", 0, 2), spec("h", "FLOAT32", (tokens, 4, 4), "UNIFORM", 0, 1)]
    return graph_task("dsl/mhc_post", [("mhc_post", [0, 1, 2, 3], [])], inputs,
                      [spec("z", "BFLOAT16", (tokens, 4, channels))], "custom_op", CORES, workspace=16 << 20, bound=1e-4)


def mhc_pre(tokens=64, channels=256):
    inputs = [spec("x", "BFLOAT16", (tokens, 4, channels), "UNIFORM", -1, 1),
              spec("w", "FLOAT32", (24, 4 * channels), "UNIFORM", -0.05, 0.05),
              spec("s", "FLOAT32", (3,), "UNIFORM", 0.5, 1.5), spec("b", "FLOAT32", (24,), "UNIFORM", -1, 1)]
    nodes = [(name, [0, 1, 2, 3], []) for name in ("mhc_pre_mix", "mhc_pre_post", "mhc_pre_streams")]
    outputs = [spec("y", "BFLOAT16", (tokens, channels)), spec("p", "FLOAT32", (tokens, 4)),
               spec("h", "FLOAT32", (tokens, 4, 4))]
    return graph_task("dsl/mhc_pre", nodes, inputs, outputs, "custom_op", 24, workspace=16 << 20, bound=1e-4)


MHC = {"mhc_post": mhc_post, "mhc_pre": mhc_pre}
