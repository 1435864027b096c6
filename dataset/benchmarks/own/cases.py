"""The cases of a user's own operator: sizes, inputs, parameters, fp64 results, bounds."""

import keyword

import torch

import draw
import forms
import judging
import tensors as bytes_of
from extents import TooLarge, scaled
from reference import Refused, blame, explain, quiet, set_seed
from running import convert, result_list, state_of, without_data, without_history
from serving import Unreadable
from wide import copied

DTYPES = {"float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16}
DSL_WORDS = set("""kernel launch tile ub scratch l1 l0c load store for in cores tiles range if elif else barrier pad as and or
not inf gemm transpose program_id num_programs float half bfloat16 int8 uint8 int16 int32 int64 bool size len void int double
long short char auto const class struct template typename operator new delete this register default switch case namespace
workspace tiling""".split())


class Sizes:
    """One --shape: other numbers for names of extents, other shapes for inputs."""

    def __init__(self, text, reference, names):
        self.values, self.shapes = {}, {}
        for part in filter(None, (one.strip() for one in text.replace(";", ",").split(","))):
            name, equals, given = part.partition("=")
            name, extents = name.strip(), given.strip().split("x")
            if not equals or not all(extent.isdigit() and int(extent) < 1 << 40 for extent in extents):
                raise Refused(f"--shape {part} is not NAME=NUMBER or NAME=8x1024", 0, "as in --shape batch=8,dim=77 or --shape x=8x77")
            shape = [int(extent) for extent in extents]
            if name in reference.extents.values and len(shape) == 1:
                self.values[name] = shape[0]
            elif name in names and 0 in shape:
                raise Refused(f"--shape {part} is an empty tensor", 0, "give extents of at least 1")
            elif name in names:
                self.shapes[names.index(name)] = shape
            else:
                raise Refused(f"--shape names {name}, which is neither an input nor an extent", 0,
                              "inputs: " + ", ".join(names) + "; extents: " + (", ".join(reference.extents.values) or "none"))


class Example:
    """The file's example inputs at some sizes."""

    def __init__(self, reference, values, seed, dtype):
        self.loaded = reference.at(values)
        self.arguments = self.loaded.arguments(seed)
        self.tensors = []
        line = reference.lines.get(self.loaded.examples, 0)
        try:
            self.form = forms.apart(self.arguments, self.tensors)["list"]
        except Unreadable as error:
            raise Refused(f"among its example inputs: {error}", line, "give tensors, numbers, texts, lists of them") from error
        if not self.tensors:
            raise Refused("its example inputs contain no tensor", line, "give at least one")
        self.names = unique_names(forms.names(list(self.loaded.parameters()), self.form), set())
        self.attributes = forms.attributes(self.loaded.constants(self.arguments, seed))
        for name, tensor in zip(self.names, self.tensors):
            refuse_kind(f"input {name}", tensor, dtype, line)
        self.tensors = [narrowed(tensor.detach().cpu(), dtype) if not tensor.is_meta else tensor for tensor in self.tensors]


def narrowed(tensor, dtype):
    tensor = tensor.contiguous()
    return tensor.to(dtype) if dtype and tensor.is_floating_point() else tensor.clone()


def refuse_kind(what, tensor, dtype, line):
    if tensor.layout != torch.strided or tensor.is_quantized:
        raise Refused(f"{what} is sparse or quantized", line, "give plain tensors")
    if tensor.is_complex():
        raise Refused(f"{what} is complex", line, "give its real and imaginary parts")
    if tensor.dtype == torch.float64 and not dtype:
        raise Refused(f"{what} is float64, which the device does not have", line, "draw it in float32, or add --dtype float")
    if tensor.dtype not in bytes_of.NAMES:
        raise Refused(f"{what} is of type {tensor.dtype}", line, "float, half, bfloat16, whole numbers or truth values")
    if tensor.numel() == 0:
        raise Refused(f"{what} has no elements (shape {list(tensor.shape)})", line, "give it some")


def unique_names(names, taken):
    """Names that are not words of Python, C++ or the DSL."""
    made = []
    for name in names:
        name = "".join(c if c.isalnum() and c.isascii() else "_" for c in name).strip("_") or "argument"
        if name[0].isdigit():
            name = "p" + name
        while name in taken or name in DSL_WORDS or keyword.iskeyword(name):
            name += "_"
        taken.add(name)
        made.append(name)
    return made


class FullSize:
    """Shapes with the file's own sizes, if a case has smaller ones. other_numbers: whether operators take other numbers at those, such
    as a factor that follows from a depth."""

    def __init__(self, measured, state, other_numbers):
        self.other_numbers = other_numbers
        self.inputs = [shape for role, shape, _ in measured if role == "input"]
        self.results = [shape for role, shape, _ in measured if role == "output"]
        self.state = state

    def described(self, first):
        """A case with only sizes, like `first`: a program in the DSL is lowered for them."""
        shapes = self.inputs + [self.state[name] for name in first["call"]["state"]]
        return {"label": "full size", "seed": 0, "attributes": first["attributes"], "checked": [], "check": {"name": "fp64"},
                "notes": ["lowered for only: its tensors are too large to be run"],
                "inputs": [{**one, "shape": shape} for one, shape in zip(first["inputs"], shapes, strict=True)],
                "outputs": [{**one, "shape": shape} for one, shape in zip(first["outputs"], self.results, strict=True)]}


class CaseMaker:
    def __init__(self, reference, runner, dtype, evaluation, most_bytes, ub_bytes):
        self.reference, self.runner, self.dtype, self.evaluation = reference, runner, dtype, evaluation
        self.most_bytes, self.ub_bytes = most_bytes, ub_bytes

    def constructed(self, loaded, seed):
        model = loaded.model(seed)
        if not isinstance(model, torch.nn.Module):
            return model
        without_history(model)
        with blame(self.reference.path, "the module cannot be changed", "give it plain parameters"), quiet():
            if self.evaluation:
                model.eval()
            if self.dtype:
                convert(model, self.dtype)
            for _, tensor, _ in state_of(model):
                if tensor.dtype == torch.float64:
                    raise Refused("the module contains float64, which the device does not have", self.reference.line_of_return(),
                                  "add --dtype float")
        return model

    # Sizes.
    def measure(self, values):
        """The Size of a case, found without data."""
        from measure import WithoutNumbers, size_of

        loaded = self.reference.at(values)
        with torch.device("meta"), WithoutNumbers(), torch.no_grad():
            arguments = loaded.arguments(0)
            model = without_data(loaded.model(0))
            state = state_of(model)
            self.state_shapes = {name: list(tensor.shape) for name, tensor, _ in state}
            with quiet():
                set_seed(0)
                return size_of(arguments, [tensor for _, tensor, _ in state], lambda: result_list(model(*arguments)), self.dtype)

    def input_names(self):
        try:
            with torch.device("meta"):
                return Example(self.reference, {}, 0, self.dtype).names
        except Exception:
            return Example(self.reference, {}, 0, self.dtype).names

    def fits(self, values):
        """Whether a case is small enough; judged by inputs and parameters where the results cannot be found without data, and
        true where those cannot either."""
        try:
            return self.measure(values).fits(self.most_bytes)
        except (Exception, SystemExit):  # said where it is run with data
            pass
        loaded = self.reference.at(values)
        try:
            with torch.device("meta"):
                total = bytes_of.input_bytes(loaded.arguments(0))
                total += sum(tensor.numel() * tensor.element_size() for _, tensor, _ in state_of(loaded.model(0)))
                return total <= self.most_bytes
        except (Exception, SystemExit):
            return True

    def smaller(self, sizes):
        """Values of names that make the case small enough, and the case with the file's own sizes; {}, None if there are none
        and it is only much work."""
        try:
            size = self.measure(sizes.values)
            shapes = self.state_shapes
            values, small = scaled(self.reference.extents, lambda values: self.measure({**sizes.values, **values}), size,
                                   self.most_bytes, self.ub_bytes, fixed=sizes.values)
            return values, FullSize(size.tensors, shapes, small.scalars != size.scalars) if values else None
        except TooLarge as error:
            raise Refused(str(error), 0, "give smaller sizes with --shape, or more with --largest") from error
        except Refused as error:
            raise Refused(f"its sizes cannot be found without data: {error.what}", error.line,
                          "give smaller sizes with --shape") from error
        except Exception as error:
            raise Refused(f"its sizes cannot be found without data: {explain(error)}", 0, "give smaller sizes with --shape") from error

    # Numbers.
    def make(self, sizes, values, seed, spread):
        """A case, or a refusal. If the numbers leave nothing to judge by, they are drawn again."""
        why = None
        for attempt, way in enumerate(draw.ways(spread)):
            try:
                return self._drawn(sizes, values, seed + 1000 * attempt, way)
            except judging.Uncertain as error:
                why = error
        raise Refused(f"{why}: no bound tells right from wrong", self.reference.line_of_return(),
                      "draw inputs on which the operator is better conditioned")

    def _drawn(self, sizes, values, seed, way):
        example = Example(self.reference, {**sizes.values, **values}, seed, self.dtype)
        given = draw.inputs(example.tensors, seed, sizes.shapes, way)
        model = self.constructed(example.loaded, seed)
        state = state_of(model)
        source = draw.generator(seed + 500)
        with torch.no_grad():
            for name, tensor, is_buffer in state:
                tensor.data.copy_(draw.parameter(name, tensor.detach(), is_buffer, source))
        held = [tensor.detach().clone().contiguous() for _, tensor, _ in state]
        arguments = forms.together(example.form, given)
        result, seen = self.runner.as_it_is(model, arguments)
        used = [(name, value) for (name, tensor, _), value in zip(state, held)
                if id(tensor) in seen.read and not (draw.is_statistic(name) and model.training)]
        with torch.no_grad():
            for (_, tensor, _), value in zip(state, held):
                tensor.data.copy_(value)  # a module may have changed its tensors
        wide = self.runner.wide(model, arguments)
        return Case(self, example, seed, given, used, result, wide, seen, values)


class Case:
    """The stored part of a case."""

    def __init__(self, maker, example, seed, given, used, result, wide, seen, values):
        self.seed, self.values, self.attributes = seed, values, example.attributes
        self.operator_bytes, self.operator_products = seen.bytes, seen.products
        line = maker.reference.line_of_return()
        self.results, self.golden = [], []
        form = self._flat(result, self.results, line)
        if self._flat(wide, self.golden, line) != form:
            raise Refused("its result has a different form in double", line, "return tensors, also in tuples or lists")
        self.golden = [golden.detach().to(torch.float64).contiguous() for golden in self.golden]
        taken = set()
        self.input_names = unique_names(example.names, taken)
        state_names = unique_names([name for name, _ in used], taken)
        self.state = {name: {"tensor": len(given) + i} for i, (name, _) in enumerate(used)}
        self.inputs = list(zip(self.input_names + state_names, given + [tensor for _, tensor in used]))
        names = ["out"] if len(self.results) == 1 else [f"out{i}" for i in range(len(self.results))]
        self.result_names = unique_names(names, taken)
        self.results = [narrowed(tensor.detach(), maker.dtype if tensor.dtype == torch.float64 else None)
                        for tensor in self.results]
        self.limits = []
        for name, tensor, golden in zip(self.result_names, self.results, self.golden):
            refuse_kind(f"result {name}", tensor, maker.dtype, line)
            if tensor.shape != golden.shape:
                raise Refused(f"result {name} has shape {list(golden.shape)} in double and {list(tensor.shape)} otherwise", line,
                              "its shape must not depend on numbers")
            if bool(golden.isnan().any()):
                raise judging.Uncertain(f"result {name} has NaN in {int(golden.isnan().sum())} of {golden.numel()} elements")
            self.limits.append(judging.bounds(tensor, golden))
        self.call = {"seed": seed, "arguments": example.form, "state": self.state, "extents": values,
                     "names": {name: maker.reference.extents.values[name] for name in values}}

    @staticmethod
    def _flat(result, tensors, line):
        try:
            form = forms.apart(result, tensors, lists_only=True)
        except Unreadable as error:
            raise Refused(f"its result contains {str(error).split(' is among')[0]}", line, "return tensors, also in tuples or lists")
        if not tensors:
            raise Refused(f"it returns {'nothing' if result is None else 'no tensor but a ' + type(result).__name__}", line,
                          "return a tensor, or several")
        if not only_tensors(form):
            raise Refused("its result contains numbers or texts besides tensors", line, "return only tensors")
        return form

    def shapes(self):
        return [(tensor.dtype, list(tensor.shape)) for _, tensor in self.inputs] + \
            [(tensor.dtype, list(tensor.shape)) for tensor in self.results]

    def bytes(self):
        return sum(tensor.numel() * tensor.element_size() for tensor in [t for _, t in self.inputs] + self.results)

    def cheats(self):
        return judging.cheats(self.inputs, list(zip(self.result_names, self.results)), self.golden, self.limits)

    def described(self, label, notes):
        specs = [spec(name, tensor) for name, tensor in zip(self.result_names, self.results)]
        checked = [{"outputs": [i], "dtype": one["dtype"], "shape": one["shape"], "absolute": absolute, "relative": relative,
                    "golden": {"dtype": "float64", "shape": one["shape"]}}
                   for i, (one, (relative, absolute)) in enumerate(zip(specs, self.limits))]
        return {"label": label, "seed": self.seed, "inputs": [spec(name, tensor) for name, tensor in self.inputs],
                "outputs": specs, "attributes": self.attributes, "checked": checked, "notes": notes, "call": self.call,
                "check": {"name": "fp64", "absolute": max(limit[1] for limit in self.limits),
                          "relative": max(limit[0] for limit in self.limits)},
                "operator_bytes": self.operator_bytes, "operator_products": self.operator_products}


def spec(name, tensor):
    return {"name": name, "kind": "REQUIRED", "dtype": bytes_of.type_name(tensor), "shape": list(tensor.shape)}


def only_tensors(form):
    if isinstance(form, dict) and "list" in form:
        return all(only_tensors(item) or item is None for item in form["list"])
    return isinstance(form, dict) and "tensor" in form
