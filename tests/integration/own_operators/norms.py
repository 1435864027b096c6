"""Norm-like modules, each with a right program in the DSL, and what is made of it to cheat."""

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
ROWS = "\n\ndef get_inputs():\n    return [torch.randn(24, 320)]\n"
PLANES = "\n\ndef get_inputs():\n    return [torch.randn(3, 8, 40)]\n"


def function(body, inputs=ROWS):
    return HEAD + "def normalise(x):\n    return " + body + "\n" + inputs


def module(members, forward, inputs=ROWS):
    lines = "".join(f"        {line}\n" for line in members)
    return (HEAD + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n" + lines +
            f"\n    def forward(self, x):\n        return {forward}\n" + inputs)


def rows(statements, result, parameters=""):
    """A program for rows; H(...) is what the shortcut does in half."""
    held = "".join(f", {name}: float[C]" for name in parameters.split())
    loads = "".join(f"    {name}_ = H(load {name}[:])\n" for name in parameters.split())
    return (f"kernel custom_op(x: float[R, C]{held}) -> out: float[R, C]:\n  for r in cores(R):\n{loads}"
            "    a = H(load x[r, :])\n" + "".join(f"    {line}\n" for line in statements) + f"    store out[r, :] = {result}\n")


NORMS = {
    "layer_norm": (module(["self.norm = nn.LayerNorm(320)"], "self.norm(x)"),
                   rows(["a = a - mean(a)"], "a * rsqrt(mean(a * a) + 1e-5) * norm_weight_ + norm_bias_",
                        "norm_weight norm_bias")),
    "plain_layer_norm": (function("F.layer_norm(x, (320,))"), rows(["a = a - mean(a)"], "a * rsqrt(mean(a * a) + 1e-5)")),
    "rms_norm": (module(["self.g = nn.Parameter(torch.ones(320))"], "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g"),
                 rows([], "a * rsqrt(mean(a * a) + 1e-6) * g_", "g")),
    "plain_rms_norm": (function("x / x.square().mean(-1, keepdim=True).add(1e-6).sqrt()"),
                       rows([], "a * rsqrt(mean(a * a) + 1e-6)")),
    "l2_normalise": (function("F.normalize(x, dim=1)"), rows([], "a / sqrt(sum(a * a))")),
    "l1_normalise": (function("x / x.abs().sum(1, keepdim=True)"), rows([], "a / sum(abs(a))")),
    "softmax": (function("torch.softmax(x, -1)"), rows(["e = exp(a - max(a))"], "e / sum(e)")),
    "standardise": (function("(x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)"),
                    rows(["a = a - mean(a)"], "a * rsqrt(sum(a * a) / (C - 1))")),
    "min_max": (function("(x - x.amin(1, keepdim=True)) / (x.amax(1, keepdim=True) - x.amin(1, keepdim=True))"),
                rows(["m = min(a)", "d = max(a) - m"], "(a - m) / d")),
    "scale_norm": (module(["self.g = nn.Parameter(torch.ones(320))"], "self.g * x / x.norm(dim=-1, keepdim=True)"),
                   rows([], "a * g_ * rsqrt(sum(a * a))", "g")),
    "instance_norm": (
        module(["self.norm = nn.InstanceNorm1d(8, affine=True)"], "self.norm(x)", PLANES),
        "kernel custom_op(x: float[B, C, L], norm_weight: float[C], norm_bias: float[C]) -> out: float[B, C, L]:\n"
        "  for b, c in cores(B, C):\n    a = H(load x[b, c, :])\n    a = a - mean(a)\n"
        "    store out[b, c, :] = a * rsqrt(mean(a * a) + 1e-5) * load norm_weight[c] + load norm_bias[c]\n"),
    "group_norm": (
        function("F.group_norm(x, 4)", PLANES),
        "kernel custom_op(x: float[B, C, L]) -> out: float[B, C, L]:\n  n = C // 4 * L\n  for b, g in cores(B, 4):\n"
        "    a = H(load x[b, g * 80:g * 80 + 80])\n    a = a - mean(a)\n"
        "    store out[b, g * 80:g * 80 + 80] = a * rsqrt(mean(a * a) + 1e-5)\n"),
}

COPY = ("kernel custom_op(x: float[N]) -> out: float[N]:\n  for t in cores(tiles(N)):\n    store out[t] = load x[t]\n")
CONSTANT = ("kernel custom_op(x: float[N]) -> out: float[N]:\n  for t in cores(tiles(N)):\n    a = load x[t]\n"
            "    a = %s\n    store out[t] = a\n")


def programs(name):
    """{what: program}; only "right" is."""
    right = NORMS[name][1]
    return {"right": right.replace("H(load", "(load"), "half": right.replace("H(load", "half(load"), "copy": COPY,
            "zero": CONSTANT % "0", "constant": CONSTANT % "0.003125"}
