"""The #defines in front of a kernel.cpp that tell it the row to be judged; README.md lists them."""

import ast
import math
import re

TYPES = {"FLOAT32": "float", "FLOAT16": "half", "BFLOAT16": "bfloat16_t", "INT8": "int8_t", "UINT8": "uint8_t", "INT16": "int16_t",
         "UINT16": "uint16_t", "INT32": "int32_t", "UINT32": "uint32_t", "INT64": "int64_t", "UINT64": "uint64_t",
         "BOOL": "int8_t", "COMPLEX64": "float"}

DSL_TYPES = {name: "bfloat16" if name == "BFLOAT16" else "bool" if name == "BOOL" else text.removesuffix("_t") for name, text in TYPES.items()} | {"FLOAT64": "double"}

MISSING = {None, "", "None", "NaN", "nan", "NA", "N/A", "NULL", "null"}  # as pandas reads a table


def shape_of(spec):
    return [int(extent) for extent in spec.get("shape", [])]


def size_of(spec):
    return math.prod(shape_of(spec)) * (2 if spec["dtype"] == "COMPLEX64" else 1)


def braces(numbers):
    return "{" + ", ".join(map(str, numbers)) + "}"


def described(name, spec):
    if spec.get("absent"):
        return [f"#define {name}_ABSENT 1", f"#define {name}_TYPE float", f"#define {name}_SIZE 0", f"#define {name}_RANK 0",
                f"#define {name}_SHAPE {{}}"]
    shape = shape_of(spec)
    lines = [f"#define {name}_TYPE {TYPES[spec['dtype']]}", f"#define {name}_SIZE {size_of(spec)}",
             f"#define {name}_RANK {len(shape)}", f"#define {name}_SHAPE {braces(shape)}"]
    if spec["dtype"] == "COMPLEX64":
        lines.append(f"#define {name}_COMPLEX 1")
    return lines + ([f"#define {name}_LAST {shape[-1]}"] if shape else [])


def parameters(specs):
    """The specs of each parameter: one, or the tensors of a list."""
    groups = []
    for spec in specs:
        listed = spec.get("kind") == "DYNAMIC"
        if listed and groups and groups[-1][0].get("kind") == "DYNAMIC" and groups[-1][0]["name"] == spec["name"]:
            groups[-1].append(spec)
        else:
            groups.append([spec])
    return groups


def literal(text):
    if text.lower() in ("true", "false"):
        return text.lower()
    if text.startswith("["):
        return text.replace("[", "{").replace("]", "}")
    try:
        number = float(text)
    except ValueError:
        return f'"{text}"'
    return str(int(number)) if number.is_integer() else text


def values_of(row, case):
    """Columns of the row and attributes of the case."""
    values = {name: text for name, text in row.items() if name != "case_id" and text not in MISSING}
    for attribute in case.get("attributes", []):
        for kind in ("flag", "integer", "real", "text"):
            if kind in attribute:
                values.setdefault(attribute["name"], str(attribute[kind]))
    return values


def value_of(text):
    """A word of a row as Python has it: a number, a truth value, a list, or the text itself."""
    try:
        return ast.literal_eval(text.strip().capitalize() if text.strip().lower() in ("true", "false") else text.strip())
    except (ValueError, SyntaxError):
        return text.strip()


def cast(name, dtype):
    """The expression that makes a tile storable to a tensor of this type."""
    return f"int32({name})" if dtype in ("int32", "int64") else f"int16({name})" if dtype == "int16" else f"float({name})"


def rounded(text, dtype):
    """The tile as a reference has it that computes each step in this type."""
    return {"half": f"float(half({text}))", "bfloat16": f"bfloat16({text})"}.get(dtype, text)


def rounded_number(text, dtype):
    """The same of a number, which the language keeps in float."""
    return text if dtype == "float" else rounded(f"full(1, {text})", dtype) + "[0]"


def in_dsl(text, row, case):
    """A program in the DSL for this row. IN0_TYPE, OUT0_TYPE and ROW_NAME (true and false are 1 and 0) are words; what is in
    braces is an expression of Python that knows IN, OUT (lists of shapes), IN_TYPE, OUT_TYPE (of types) and the row's names."""
    words, known = {}, {"prod": math.prod, "cast": cast, "rounded": rounded, "rounded_number": rounded_number, "lines": lambda values, make: "\n".join(map(make, values)),
                        "dot": lambda a, b: sum(x * y for x, y in zip(a, b)), "axis": lambda dim, shape: dim % len(shape)}
    for side, name in (("inputs", "IN"), ("outputs", "OUT")):
        groups = [group[0] for group in parameters(case.get(side, []))]
        known[name] = [shape_of(spec) for spec in groups]
        known["COMPLEX"] = any(spec["dtype"] == "COMPLEX64" for spec in groups) or known.get("COMPLEX", False)
        known[name + "_TYPE"] = [DSL_TYPES.get(spec["dtype"], "float") for spec in groups]
        words.update({f"{name}{i}_TYPE": dtype for i, dtype in enumerate(known[name + "_TYPE"])})
    for name, value in values_of(row, case).items():
        name = name.strip().upper()
        words["ROW_" + name] = {"true": "1", "false": "0"}.get(literal(value.strip()), literal(value.strip()))
        known[name] = value_of(value)
    text = re.sub(r"\{([^{}]*)\}", lambda made: str(eval(made[1], known)), text)
    return re.sub(r"\b(?:IN|OUT)\d+_TYPE\b|\bROW_\w+", lambda word: words.get(word[0], word[0]), text)


def constants(index, row, case):
    """`row` of test_cases.csv, `case` as the data set has it."""
    lines = [f"#define ROW {index}"]
    for i, group in enumerate(parameters(case.get("inputs", []))):
        if group[0].get("kind") == "DYNAMIC":
            lines += [f"#define IN{i}_TYPE {TYPES[group[0]['dtype']]}", f"#define IN{i}_COUNT {len(group)}",
                      f"#define IN{i}_SIZES {braces(map(size_of, group))}"]
        else:
            lines += described(f"IN{i}", group[0])
    for i, spec in enumerate(case.get("outputs", [])):
        lines += described(f"OUT{i}", spec)
    values = values_of(row, case)
    lines += [f"#define ROW_{name.strip().upper()} {literal(text.strip())}" for name, text in values.items()]
    return "\n".join(lines) + '\n#line 1 "kernel.cpp"\n'
