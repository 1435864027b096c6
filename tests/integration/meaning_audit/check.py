#!/usr/bin/env python3
"""Does the audit by meaning find programs that compute a benchmark's task in other words, and keep those that nearly do?

    check.py KGTRAIN PROBES     PROBES: made by dataset/benchmarks/probes.py

Plants the programs below, and the same programs with one constant or one function changed, in a data set, and runs `kgtrain
data meaning` on it. Needs only Python's standard library. Status 1 if one of the first is missed or one of the others found.
These programs equal benchmark tasks: they stay out of training data, as all of tests/ does.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Of one tensor, element by element.
MAPS = {
    "multikernelbench/activation/relu": "(abs(a) + a) / 2",
    "multikernelbench/activation/sigmoid": "0.5 * (1 + tanh(a / 2))",
    "multikernelbench/activation/tanh": "2 / (1 + exp(0 - 2 * a)) - 1",
    "multikernelbench/activation/elu": "max(a, exp(min(a, 0)) - 1)",
    "multikernelbench/activation/softplus": "log(1 + exp(a))",
    "multikernelbench/activation/softsign": "a / max(1 + a, 1 - a)",
    "multikernelbench/activation/swish": "a / (1 + exp(0 - a))",
    "multikernelbench/activation/hardsigmoid": "max(min(a + 3, 6), 0) / 6",
    "multikernelbench/activation/hardtanh": "(abs(a + 1) - abs(a - 1)) / 2",
    "multikernelbench/activation/leaky_relu": "max(a, a * 0.01)",
    "multikernelbench/activation/selu": "1.05070099 * max(a, 0) + 1.75809934 * (min(exp(a), 1) - 1)",
    "multikernelbench/activation/gelu": "a - 0.5 * a * (1 - erf(a * 0.70710678))",
    "multikernelbench/activation/min_gpt_new_gelu": "a * sigmoid(1.59576912 * (a + 0.044715 * a * a * a))",
    "multikernelbench/math/matrix_scalar_multiplication": "a * 3 + a * 0.14",
    "npukernelbench/level1/Math/AbsMath": "max(a, 0 - a)",
    "npukernelbench/level1/Math/Rsqrt": "1 / sqrt(a)",
    "npukernelbench/level1/Math/Sqrt": "a * rsqrt(a)",
    "npukernelbench/level2/Foreach/ForeachNeg": "a - 2 * a",
    "npukernelbench/level2/Foreach/ForeachExp": "1 / exp(0 - a)",
    "npukernelbench/level2/Foreach/ForeachExpm1": "exp(a) - 1",
    "npukernelbench/level2/Foreach/ForeachLog2": "log(a) / 0.693147181",
    "npukernelbench/level2/Foreach/ForeachLog10": "log(a) * 0.434294482",
    "npukernelbench/level2/Foreach/ForeachSinh": "(exp(a) - exp(0 - a)) / 2",
    "npukernelbench/level2/Foreach/ForeachCosh": "(exp(a) + exp(0 - a)) / 2",
    "npukernelbench/level2/Foreach/ForeachErfc": "1 - erf(a)",
    "npukernelbench/level2/Foreach/ForeachSign": "a / abs(a)",
}
# Of two or three, element by element; also in the other order of the inputs.
MAPS_OF_TWO = {
    "npukernelbench/level1/Math/AddCustom": "2 * a - (a - b)",
    "npukernelbench/level2/Foreach/ForeachMaximumList": "(a + b + abs(a - b)) / 2",
    "npukernelbench/level2/Foreach/ForeachMinimumList": "(a + b - abs(a - b)) / 2",
    "npukernelbench/level2/Foreach/ForeachMulList": "((a + b) * (a + b) - (a - b) * (a - b)) / 4",
    "npukernelbench/level2/Foreach/ForeachDivList": "b * (1 / a)",
}
PROGRAMS = {
    "multikernelbench/activation/softmax": """kernel k(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    m = max(a)
    store z[r, :] = exp(a - m - log(sum(exp(a - m))))
""",
    "multikernelbench/activation/log_softmax": """kernel k(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    e = exp(a - max(a))
    store z[r, :] = log(e / sum(e))
""",
    "multikernelbench/normalization/l2_norm": """kernel k(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    store z[r, :] = a / sqrt(sum(a ** 2))
""",
    "multikernelbench/normalization/l1_norm": """kernel k(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    store z[r, :] = a * C / sum(max(a, 0 - a))
""",
    "multikernelbench/math/cumsum_reverse": """kernel k(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    store z[r, :] = sum(a) - cumsum(a) + 1 * a
""",
    "multikernelbench/loss/mse_loss": """kernel k(x: float[N], y: float[N]) -> z: float[1]:
  s = 0
  for t in cores(tiles(N)):
    a = load x[t]
    b = load y[t]
    s += sum(a * a - 2 * a * b + b * b)
  store z[0] = all_sum(s) / N
""",
    "multikernelbench/loss/huber_loss": """kernel k(x: float[N], y: float[N]) -> z: float[1]:
  s = 0
  for t in cores(tiles(N)):
    d = abs(load x[t] - load y[t])
    q = max(d - 1, 0)
    s += sum(0.5 * d * d - 0.5 * q * q)
  store z[0] = all_sum(s) / N
""",
    "multikernelbench/normalization/layer_norm": """kernel k(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  for b in cores(B):
    a = load x[b, :, :, :]
    d = a - mean(a)
    store z[b, :, :, :] = d / sqrt(mean(d * d) + 0.00001)
""",
    "multikernelbench/normalization/frobenius_norm": """kernel k(x: float[N]) -> z: float[N]:
  s = 0
  for t in cores(tiles(N)):
    s += sum(abs(load x[t]) * abs(load x[t]))
  k = 1 / sqrt(all_sum(s))
  for t in cores(tiles(N)):
    store z[t] = k * load x[t]
""",
    "multikernelbench/reduce/max_reduction_over_a_dimension": """kernel k(x: float[B, D, E]) -> z: float[B, E]:
  for b, t in cores(B, tiles(E)):
    a = 0 - load x[b, 0, t]
    for d in range(1, D):
      a = min(a, 0 - load x[b, d, t])
    store z[b, t] = 0 - a
""",
    "multikernelbench/reduce/mean_reduction_over_a_dimension": """kernel k(x: float[B, D, E]) -> z: float[B, E]:
  for b, t in cores(B, tiles(E)):
    a = load x[b, 0, t] / D
    for d in range(1, D):
      a += load x[b, d, t] / D
    store z[b, t] = a
""",
    "multikernelbench/optimizer/sgd": """kernel k(p: float[N], g: float[N], v: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = load p[t] - 0.009 * load v[t] - 0.01 * load g[t]
""",
    "multikernelbench/optimizer/adagrad": """kernel k(s: float[N], p: float[N], g: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    d = load g[t]
    store z[t] = load p[t] - d / (100 * sqrt(d * d + load s[t]) + 1e-8)
""",
}
# Changed programs that compute another task: a copy, cosh, exp, a maximum.
OF_ANOTHER_TASK = ("max(a, 0 + a)", "(exp(a) + exp(0 - a)) / 2", "(exp(a) + exp(0 + a)) / 2", "(a + b + abs(a - b)) / 2")
CHANGES = (("max(", "min("), ("min(", "max("), ("exp(", "sinh("), ("abs(", "relu("), (" - ", " + "), ("sqrt(", "log("))


def map_of(names, formula):
    loads = "".join(f"    {value} = load {name}[t]\n" for name, value in zip(names, "ab"))
    given = ", ".join(f"{name}: float[N]" for name in names)
    return f"kernel k({given}) -> z: float[N]:\n  for t in cores(tiles(N)):\n{loads}    store z[t] = {formula}\n"


def planted():
    return {**{task: map_of("x", formula) for task, formula in MAPS.items()},
            **{task: map_of("xy", formula) for task, formula in MAPS_OF_TWO.items()}, **PROGRAMS}


def near(program):
    """The program with one number, then with one function or sign changed. Numbers of a head or of an index stay."""
    made = set()
    for number in re.finditer(r"(?<![\w.\[])\d+(?:\.\d+)?(?:e-\d+)?(?![\w.\]])", program):
        line = program[program.rfind("\n", 0, number.start()) + 1:program.find("\n", number.end())]
        value = float(number.group())
        if "=" not in line or "range" in line or value == 0 or value < 1e-4 or line.strip() == "s = 0" or "z[0]" in line:
            continue
        made.add(program[:number.start()] + repr(value * 1.5) + program[number.end():])
    for old, new in CHANGES:
        at = program.find(old, program.find("store z"))
        if at >= 0:
            made.add(program[:at] + new + program[at + len(old):])
    return sorted(text for text in made if not any(formula in text for formula in OF_ANOTHER_TASK))


def kept(kgtrain, probes, programs, folder):
    """What the audit leaves of these programs."""
    folder.mkdir()
    samples = [{"instruction": str(number), "input": "", "output": f"```dsl\n{text}```\n"} for number, (_, text) in enumerate(programs)]
    (folder / "data.json").write_text(json.dumps(samples))

    def run(*words):
        done = subprocess.run([kgtrain, "data", *words], cwd=folder, text=True, stdout=subprocess.PIPE)
        if done.returncode not in (0, 1):
            sys.exit(done.stdout)

    run("import", "data.json", "--out", "data.h5")
    run("meaning", "data.h5", "--probes", probes, "--clean", "clean.h5")
    run("export", "clean.h5", "--out", "clean.jsonl")
    return [programs[int(json.loads(line)["instruction"])] for line in (folder / "clean.jsonl").read_text().splitlines()]


def main():
    kgtrain, probes = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    equal = list(planted().items())
    innocent = [(task, text) for task, program in equal for text in near(program)]
    with tempfile.TemporaryDirectory() as folder:
        missed = kept(kgtrain, probes, equal, pathlib.Path(folder) / "equal")
        spared = kept(kgtrain, probes, innocent, pathlib.Path(folder) / "innocent")
    found = [one for one in innocent if one not in spared]
    for title, programs in (("missed", missed), ("found, though it computes something else", found)):
        for task, text in programs:
            print(f"{title}: {task}\n{text}")
    print(f"{len(equal) - len(missed)} of {len(equal)} equal programs found, {len(spared)} of {len(innocent)} others kept")
    return 1 if missed or found else 0


if __name__ == "__main__":
    sys.exit(main())
