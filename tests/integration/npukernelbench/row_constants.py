"""The #defines in front of a kernel.cpp that tell it the row to be judged; README.md lists them."""

import math
import re

TYPES = {"FLOAT32": "float", "FLOAT16": "half", "BFLOAT16": "bfloat16_t", "INT8": "int8_t", "UINT8": "uint8_t", "INT16": "int16_t",
         "UINT16": "uint16_t", "INT32": "int32_t", "UINT32": "uint32_t", "INT64": "int64_t", "UINT64": "uint64_t",
         "BOOL": "int8_t", "COMPLEX64": "float"}

DSL_TYPES = {name: "bfloat16" if name == "BFLOAT16" else "bool" if name == "BOOL" else text.removesuffix("_t") for name, text in TYPES.items()}

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


def in_dsl(text, row, case):
    """A program in the DSL with this row's types and values: IN0_TYPE, OUT0_TYPE, ROW_NAME (true and false are 1 and 0)."""
    words = {}
    for side in ("inputs", "outputs"):
        for i, group in enumerate(parameters(case.get(side, []))):
            words[f"{'IN' if side == 'inputs' else 'OUT'}{i}_TYPE"] = DSL_TYPES.get(group[0]["dtype"], "float")
    for name, value in values_of(row, case).items():
        words[f"ROW_{name.strip().upper()}"] = {"true": "1", "false": "0"}.get(literal(value.strip()), literal(value.strip()))
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
