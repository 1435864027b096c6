"""Short prompts: the tensors, and what is to be computed in the words of whoever wrote it. The first line is what another
language replaces (dataset/store/dsl_prompt.h)."""

import re
import struct

ENTRY_POINT = "custom_op"  # it does not reveal the operator
VECTOR_CORES = 48
ASCENDC = {"float32": "float", "float16": "half"}


STEPS = "PyTorch's operators, one by one:"  # dataset/store/dsl_prompt.cpp looks for it
LISTED = 4  # tensors of a list whose shapes are shown


def tensor(spec):
    return f"{ASCENDC.get(spec['dtype'], spec['dtype'])}[{','.join(map(str, spec['shape'] or [1]))}]"


def tensor_list(what, specs):
    """A parameter that is a list of tensors is written once: "x: list of half[3], half[4,5]"."""
    parameters = []  # (name, is it a list, its tensors)
    for one in specs:
        if one.get("absent"):
            continue
        is_list = one.get("kind") == "DYNAMIC"
        if is_list and parameters and parameters[-1][:2] == (one["name"], True):
            parameters[-1][2].append(tensor(one))
        else:
            parameters.append((one["name"], is_list, [tensor(one)]))
    listed = "; ".join(f"{name}: {'list of ' if is_list else ''}{', '.join(made[:LISTED])}{', ...' if len(made) > LISTED else ''}"
                       for name, is_list, made in parameters)
    return f"{what}{'s' if len(parameters) > 1 else ''} {listed}"


def output_list(outputs):
    """Outputs that have no parameter of their own are inputs that the kernel writes to: "Output x, in place"."""
    own = [one for one in outputs if not one.get("without_parameter")]
    written = list(dict.fromkeys(one["name"] for one in outputs if one.get("without_parameter")))
    if not written:
        return tensor_list("Output", own)
    return (tensor_list("Output", own) + "; " if own else f"Output{'s' if len(written) > 1 else ''} ") + \
        "; ".join(f"{name}, in place" for name in written)


def head(inputs, outputs, cores):
    return [f"Write the Ascend C kernel {ENTRY_POINT} for {cores} cores.", tensor_list("Input", inputs), output_list(outputs)]


def of_module(inputs, outputs, text, held=(), steps=()):
    """`text`: the module as it is written. held: (parameter of the kernel, what the module calls it). steps: lines of traced.py."""
    lines = head(inputs, outputs, VECTOR_CORES)
    named = [f"{name} is {path}" for name, path in held if name != path]
    if named:
        lines.append("Of the module's parameters, " + ", ".join(named) + ".")
    lines.append(f"It computes what this PyTorch code does.\n```python\n{text.strip()}\n```")
    if steps:
        lines.append("\n".join([STEPS, "```", *steps, "```"]))
    return "\n".join(lines)


def as_written(value):
    """A number that was given as float32, as somebody wrote it: 1e-06, not 9.999999974752427e-07."""
    if not isinstance(value, float) or not abs(value) < 3e38:
        return value
    in_float = lambda number: struct.unpack("f", struct.pack("f", number))[0]
    shorter = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return next((short for short in shorter if in_float(short) == value), value)


def of_description(inputs, outputs, cores, attributes, description):
    """An interface's description in essence: its title and its formulas. Where it has no formula its first paragraph stands
    for them. Of the case, tensors and attributes are all that a kernel gets: how its inputs are drawn is left out."""
    lines = head(inputs, outputs, cores)
    if attributes:
        lines.append("Attributes " + ", ".join(f"{one['name']} = {as_written(one['value'])}" for one in attributes))
    title = re.search(r"^#\s+(.+)$", description, re.MULTILINE)
    if title:
        lines.append(title[1].strip().removeprefix("aclnn"))
    formulas = ["".join(line.strip() + "\n" for line in found.strip().splitlines()).strip()
                for found in re.findall(r"\$\$(.+?)\$\$", description, re.DOTALL)]
    if formulas:
        lines += formulas
    else:
        paragraphs = [part.strip() for part in description.split("\n\n")]
        prose = [part for part in paragraphs if part and not part.startswith(("#", "```", "|", "-", "*"))]
        lines += [re.sub(r"^#+.*\n", "", part) for part in prose[:1]]
    return "\n".join(lines)
