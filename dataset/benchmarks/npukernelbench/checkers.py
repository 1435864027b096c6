"""Which rule of reward/published_check.h a task's checker is.

Most checkers hand bounds to the benchmark's check_precision: the bounds are read off by calling them. The others are
told by their text, whitespace and comments apart. A checker that is neither is not guessed at.
"""

import hashlib
import inspect
import io
import tokenize

import torch

from serving import Unreadable

DEFAULT_BOUND = 1e-3  # eval.max_abs_error and eval.max_rel_error of base_config.yaml

HALF, BRAIN, SINGLE = 1 / 512, 1 / 256 + 1 / 16384, 1 / 2048 + 1 / 16384
INTEGERS = {"int8", "int16", "int32", "int64", "uint8", "bool"}


class _Recorded(Exception):
    pass


def _dtype(row, key="dtype"):
    """The row may say "float" for float32."""
    return str(getattr(torch, row.get(key, "float16"))).removeprefix("torch.")


def _bound(table, name):
    if name not in table:
        raise Unreadable(f"its checker has no bound for {name}")
    return table[name]


def _scaled(row, key="dtype"):
    bounds = {"float16": HALF, "bfloat16": BRAIN, "float32": SINGLE}
    return {"name": "scaled", "relative": _bound(bounds, _dtype(row, key))}


def _scaled_or_int32(row):
    return {"name": "scaled", "relative": 1.0} if _dtype(row) == "int32" else _scaled(row)


def _scaled_or_exact(row):
    if _dtype(row) in INTEGERS:
        return {"name": "exact"}
    if _dtype(row) == "complex64":
        return {"name": "scaled", "relative": SINGLE}
    return _scaled(row)


def _matmul(count):
    def rule(row):
        small = {"float16": 1 / 256, "bfloat16": 1 / 128, "float32": 1 / 2048}
        large = {"float16": 1 / 128, "bfloat16": 1 / 64, "float32": 1 / 512}
        return {"name": "scaled_float32", "relative": _bound(small if count(row) < 2048 else large, _dtype(row))}

    return rule


# First 16 hex digits of the SHA-256 of the checker's tokens.
KNOWN = {
    "b89cde637bb7cfd1": _scaled_or_exact,  # AbsMath
    "0cc04b9a1d110af5": _scaled_or_exact,  # Muls
    "17539ea34e8f9d6b": _scaled_or_int32,  # Rsqrt and 6 more
    "39cbe16452c4aec9": _scaled,  # FastGeluGrad and 7 more
    "37506ed07a610a7d": lambda row: {"name": "ratio", "absolute": 0.001, "relative": 0.001},  # GeluQuant
    # ForeachNonFiniteCheckAndUnscale
    "dece7e861933a982": lambda row: {"name": "both_or_not_finite", "absolute": 0.01, "relative": 0.01},
    "fc05351df4f7bc99": lambda row: _scaled(row, "input_dtype"),  # CrossEntropyLossGrad
    "d577072b4a6baf66": lambda row: {"name": "ratio", "absolute": 0.003, "relative": 0.003},  # AddRmsNormQuant
    "c34d26b626802200": _matmul(lambda row: row.get("k")),  # BasicMatmul and 12 more
    "4586a1c0a58cd6c6": _matmul(lambda row: row.get("m")),  # Gemv
    "24f7b398f2aee4b5": _matmul(lambda row: 2048),  # GroupGemm
    "e30214861009149b": _matmul(lambda row: int(row.get("head_size"))),  # Mla
}


def fingerprint(function):
    tokens = []
    source = inspect.getsource(function)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
                          tokenize.ENDMARKER):
            continue
        if token.type == tokenize.STRING and token.string.startswith(('"""', "'''")):
            continue
        tokens.append(token.string)
    return hashlib.sha256("".join("".join(tokens).split()).encode()).hexdigest()[:16]


def rule(prepare, row, check_precision):
    """{name, absolute, relative} for one row."""
    checker = getattr(prepare, "custom_check_precision", None)
    if checker is None:
        return {"name": "both", "absolute": DEFAULT_BOUND, "relative": DEFAULT_BOUND}
    known = KNOWN.get(fingerprint(checker))
    if known:
        return known(row)
    found = {}

    def record(outputs, outputs_new, max_abs_error, max_rel_error):
        found.update(absolute=max_abs_error, relative=max_rel_error)
        raise _Recorded

    if getattr(prepare, "check_precision", None) is not check_precision:
        raise Unreadable(f"its checker is unknown (fingerprint {fingerprint(checker)})")
    prepare.check_precision = record
    try:
        checker(row, torch.zeros(1), torch.zeros(1))
    except _Recorded:
        return {"name": "both", **found}
    finally:
        prepare.check_precision = check_precision
    raise Unreadable(f"its checker is unknown (fingerprint {fingerprint(checker)})")
