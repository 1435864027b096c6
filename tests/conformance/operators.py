"""An operator project of a checkout as a request: its files, and a case that fits its definition.

Nobody writes such a case: the definition itself says what it takes, in the words with which the sandbox refuses a case
that does not fit.
"""

import os
import re

import wire
from closure import closure, rewritten

SHAPE = (8, 16, 32)
REFUSED = re.compile(r"the definition's (inputs|outputs) \((.*?)\) do not fit the task's")
COLUMNS = re.compile(r"no data-type column of the definition fits (.*?); it has \((.*?)\)")
ATTRIBUTE = re.compile(r'Attr\(\s*"(\w+)"\s*\)((?:\s*\.\s*\w+\s*\((?:[^()]|\([^()]*\))*\))*)')
VALUES = {"Bool": True, "Int": 2, "Float": 1.0, "String": "text", "ListInt": [2, 2], "ListFloat": [1.0, 1.0],
          "ListBool": [1, 1]}
MOST_ATTEMPTS = 6


def host_sources(checkout, path, operator):
    """The operator's own source, and the sources of its folder that register no other operator."""
    folder = os.path.dirname(path)
    found = [path]
    for other in sorted(checkout.paths - checkout.closed):
        if other == path or not other.startswith(folder + "/") or not other.endswith((".cpp", ".cc")):
            continue
        if not re.search(r"\bOP_ADD\b|#include\s*[\"<](opdev|aclnn|torch)|op_api/|/arch3|_apt|PYBIND", checkout.text(other) + other):
            found.append(other)
    return found


def project(checkout, own, operator, path, kernel):
    """{path in the project: text}. Raises ClosedFile."""
    files, bodies = {}, {}
    for number, source in enumerate(host_sources(checkout, path, operator)):
        for name, text in rewritten(checkout, closure(checkout, own, source), "op_host/own").items():
            bodies[name] = text
        files[f"op_host/source_{number}.cpp"] = bodies.pop(f"op_host/own/{source}")
    kernel_files = rewritten(checkout, closure(checkout, own, kernel), "op_kernel/own")
    bodies.update(kernel_files)
    files[f"op_kernel/{os.path.basename(kernel)}"] = bodies.pop(f"op_kernel/own/{kernel}")
    # A source that another one includes is not compiled by itself.
    for name, text in bodies.items():
        files[name] = text
    return files


def attributes(text):
    out = []
    for name, calls in ATTRIBUTE.findall(text):
        if "OPTIONAL" in calls:
            continue
        for kind, value in VALUES.items():
            if re.search(rf"\.\s*{kind}\s*\(", calls):
                out.append(wire.attribute(name, value))
    return out


class Definition:
    """What is known so far of an operator's inputs and outputs."""

    def __init__(self, text):
        self.inputs, self.outputs, self.types = [], [], {}
        self.attributes = attributes(text)

    def case(self):
        inputs = [wire.tensor(name, self.types.get(name, 1), SHAPE, self._bytes(name), kind)
                  for name, kind in self.inputs]
        outputs = [wire.output_spec(name, self.types.get(name, 1), SHAPE, kind) for name, kind in self.outputs]
        return wire.run_case(inputs, outputs, self.attributes)

    def _bytes(self, name):
        size = wire.SIZES[self.types.get(name, 1)]
        for extent in SHAPE:
            size *= extent
        return bytes(size)

    def learn(self, result):
        """Whether something new is told by the faults of a case."""
        text = " ".join(message for case in result.cases for _, _, message in case.faults) + result.output
        if match := REFUSED.search(text):
            listed = []
            for one in match.group(2).split(", "):
                name, _, kind = one.partition(" ")
                listed.append((name, kind or "required"))
            setattr(self, match.group(1), [] if match.group(2) == "none" else listed)
            return True
        if match := COLUMNS.search(text):
            for one, kind in zip(match.group(1).split(", "), match.group(2).split(", ")):
                if kind.removeprefix("DT_") in wire.DTYPES:
                    self.types[one.split(" ")[0]] = wire.DTYPES[kind.removeprefix("DT_")]
            return True
        return False


def compiled_project(sandbox, files, entry_point, text):
    """The result at a case that fits the definition, or the first that says nothing new."""
    definition = Definition(text)
    for _ in range(MOST_ATTEMPTS):
        result = sandbox.ask(wire.request(entry_point, project=files, cases=[definition.case()], run_seconds=5))
        if not definition.learn(result):
            break
    return result
