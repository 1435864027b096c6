"""The sizes of a PyTorch module's file by name, and the same file with other sizes.

A name is one that the file sets to a whole number at its top (`dim = 4096`, `shape = (16, 512)` as shape[0], shape[1]), or
a number of 16 or more that get_inputs or get_init_inputs spells out ("512": all of the same value are
one). The file is compiled again with other numbers in these places, so whatever it derives from them follows.
"""

import ast
import copy
import math
import types
from typing import NamedTuple

DRAWING = ("get_inputs", "get_init_inputs", "get_input_groups")
SMALLEST_LITERAL = 16  # a smaller one may just as well be a flag, an axis or a window
SMALLEST_WIDTH = 32  # for a parameter's extent that no input has


class Extents:
    def __init__(self, text, path):
        self.path = str(path)
        self.tree = ast.parse(text, self.path)
        self.values = {}
        self._places = {}  # name: [(line, column)]
        for node in self.tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                self._assigned(node)
            elif isinstance(node, ast.FunctionDef) and node.name in DRAWING:
                self._literals(node)
        for name in [name for name, places in self._places.items() if not name.isdigit() and len(places) > 1]:
            del self.values[name], self._places[name]  # set more than once

    def _assigned(self, node):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) != 1:
            return
        target, value = targets[0], node.value
        if isinstance(target, ast.Name):
            if isinstance(value, (ast.Tuple, ast.List)):
                for i, item in enumerate(value.elts):
                    self._add(f"{target.id}[{i}]", item)
            else:
                self._add(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
            for one, item in zip(target.elts, value.elts):
                if isinstance(one, ast.Name):
                    self._add(one.id, item)

    def _literals(self, function):
        for node in ast.walk(function):
            if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= SMALLEST_LITERAL:
                self._add(str(node.value), node)

    def _add(self, name, node):
        value = whole_number(node)
        if value is not None:
            self.values[name] = value
            self._places.setdefault(name, []).append((node.lineno, node.col_offset))

    def load(self, values=None):
        """The file as a module, with other numbers for some of its names."""
        changed = {}
        for name, value in (values or {}).items():
            for place in self._places[name]:
                changed[place] = value
        module = types.ModuleType("reference_module")
        module.__file__ = self.path
        tree = _Other(changed).visit(copy.deepcopy(self.tree)) if changed else self.tree
        exec(compile(tree, self.path, "exec"), module.__dict__)
        return module


def whole_number(node):
    """The value of a whole number written as a literal, or as a product or sum of literals; else None."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp):
        left, right = whole_number(node.left), whole_number(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.FloorDiv) and right:
            return left // right
        if isinstance(node.op, ast.Pow) and 0 <= right <= 64:
            return left**right
        if isinstance(node.op, ast.LShift) and 0 <= right <= 64:
            return left << right
    return None


class _Other(ast.NodeTransformer):
    def __init__(self, changed):
        self.changed = changed

    def visit(self, node):
        place = (getattr(node, "lineno", None), getattr(node, "col_offset", None))
        if place in self.changed and isinstance(node, ast.expr) and whole_number(node) is not None:
            return ast.copy_location(ast.Constant(self.changed[place]), node)
        return self.generic_visit(node)


# Smaller sizes.
class TooLarge(Exception):
    pass


# Lower limits, tried in this order: first the outermost extents, which only repeat the same work, then the largest; or the
# largest from the start, if that fails.
ORDERS = [[("outer", 16), ("all", 256), ("outer", 4), ("all", 64), ("all", 16), ("outer", 2), ("all", 4), ("outer", 1)],
          [("all", 256), ("all", 64), ("all", 16), ("all", 4), ("outer", 1)]]


# Of products and convolutions; some seconds of the emulated device, which stops a kernel after ten.
MOST_FLOPS = 4e9


class Size(NamedTuple):
    """The tensors of a module as (role, shape, bytes of an element), roles input, state and output; its work; the numbers that
    its operators take besides tensors, axes and sizes."""
    tensors: list
    flops: float
    scalars: set

    def bytes(self):
        return sum(math.prod(shape) * size for _, shape, size in self.tensors)

    def fits(self, most_bytes, most_flops=MOST_FLOPS):
        return self.bytes() <= most_bytes and self.flops <= most_flops


def scaled(extents, measure, full, most_bytes, ub_bytes, fixed=()):
    """Values for names, and the Size with them, such that the tensors have at most `most_bytes` together, and at most MOST_FLOPS, or else a few times
    as many, if that is possible as well. measure(values) gives a Size, or raises where the module does not take such sizes;
    `full` is that of the file. What does not fit UB at the file's sizes (`ub_bytes`; a row, a plane, a single extent) does
    not fit at the smaller ones either; where no such sizes are small enough, that holds for rows and single extents only.
    Extents from which the module computes a number, such as the factor 1 / sqrt(d) of an attention, stay if that is
    possible. Raises TooLarge."""
    search = _Search(extents, measure, full, ub_bytes)
    whole = search.find_groups(fixed)
    least = search.full.bytes()
    for most_flops in MOST_FLOPS, 2 * MOST_FLOPS, 4 * MOST_FLOPS, math.inf:
        for scalars, rows_only in (True, False), (True, True), (False, False), (False, True):
            search.keep(scalars, rows_only)
            for order in ORDERS:
                values, found = search.descend(whole, order, lambda size: size.fits(most_bytes, most_flops))
                if found.fits(most_bytes, most_flops):
                    return {name: value for name, value in search.named(values).items() if value != extents.values[name]}, found
                least = min(least, found.bytes())
    raise TooLarge(f"its tensors have {search.full.bytes() / 1e6:.0f} MB, and {least / 1e6:.1f} MB at the smallest sizes at "
                   f"which the rows that overflow UB still do")


class _Search:
    def __init__(self, extents, measure, full, ub_bytes):
        self.extents, self.measure, self.full, self.ub_bytes = extents, measure, full, ub_bytes
        self.known = {}  # sizes that were asked for: several descents go by the same
        self.large, self.scalars = [], False
        self.groups = {}  # first name: the names that go together
        self.outermost = {}  # first name: the first axis on which it is an extent

    def keep(self, scalars, rows_only):
        """What must be so at smaller sizes as well: whether numbers that are computed from sizes are the same, and which of
        the parts that overflow UB do so, all or rows and single extents."""
        self.scalars = scalars
        self.large = [(i, a, b) for i, a, b in _large_parts(self.full.tensors, self.ub_bytes) if not rows_only or b - a == 1]

    def find_groups(self, fixed):
        """Values of the names that are extents. If a single one does not work, those with the same value change together."""
        named = {name: value for name, value in self.extents.values.items() if name not in fixed and value >= 2}
        for name, value in named.items():
            if any(name in group for group in self.groups.values()):
                continue
            same = [other for other, its in named.items() if its == value]
            for group in ([name], same) if len(same) > 1 else ([name],):
                place = self._place(group, value)
                if place is not None:
                    self.groups[name] = group
                    self.outermost[name] = place
                    break
        return {name: named[name] for name in self.groups}

    def _place(self, group, value):
        """The least place among the extents that change with the names; None: they are no extents. What changes results
        only, or is a small number in a parameter's shape, is a window or the like."""
        other = self._measured({name: smaller(value) for name in group})
        if other is None:
            return None
        changed = [(role, d) for (role, a, _), (_, b, _) in zip(self.full.tensors, other.tensors) if len(a) == len(b)
                   for d in range(len(a)) if a[d] != b[d]]
        places = [d for role, d in changed if role == "input"]
        if not places and value >= SMALLEST_WIDTH:
            places = [1 + d for role, d in changed if role == "state"]
        return min(places) if places else None

    def named(self, values):
        return {name: values[first] for first in values for name in self.groups[first]}

    def descend(self, values, order, fits):
        found = self.full
        for which, floor in order:
            while not fits(found):
                better = self.smaller_one(values, found, which, floor)
                if better is None:
                    break
                values, found = better
        return values, found

    def smaller_one(self, values, found, which, floor):
        names = [name for name in values if values[name] > floor and (which == "all" or self.outermost[name] == 0)]
        for name in sorted(names, key=lambda name: -values[name]):
            other = {**values, name: max(smaller(values[name]), floor)}
            size = self._tried(other)
            if size is not None and size.bytes() < found.bytes():
                return other, size
        return None

    def _measured(self, values):
        """None: the module does not take such sizes."""
        key = tuple(sorted(values.items()))
        if key not in self.known:
            try:
                self.known[key] = self.measure(values)
            except Exception:
                self.known[key] = None
        return self.known[key]

    def _tried(self, values):
        found = self._measured(self.named(values))
        if found is None or [len(shape) for _, shape, _ in found.tensors] != [len(shape) for _, shape, _ in self.full.tensors]:
            return None
        if self.scalars and found.scalars != self.full.scalars:
            return None
        kept = all(math.prod(found.tensors[i][1][a:b]) * found.tensors[i][2] > self.ub_bytes for i, a, b in self.large)
        return found if kept else None


def smaller(value):
    """Half, odd if the value is odd: a row that is not whole blocks stays so."""
    return max(1, value // 2 if value % 2 == 0 else value // 2 | 1)


def _large_parts(tensors, ub_bytes):
    """(tensor, first, last + 1) of what overflows UB: of inputs and parameters the smallest row, plane or so (the last
    extents) and single extents within, of results a row. A list of numbers for the outermost extent is none: it is read in
    pieces."""
    found = []
    for i, (role, shape, size) in enumerate(tensors):
        if len(shape) == 1 and any(other[:1] == shape and len(other) > 1 for _, other, _ in tensors):
            continue
        rows = [a for a in range(len(shape)) if math.prod(shape[a:]) * size > ub_bytes]
        if rows and (role != "output" or rows[-1] == len(shape) - 1):
            found.append((i, rows[-1], len(shape)))
        found += [(i, d, d + 1) for d in range(1, len(shape) - 1) if shape[d] * size > ub_bytes]
    return found
