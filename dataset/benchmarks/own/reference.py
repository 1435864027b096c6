"""Reads the file of a user's own operator: a class Model or one function, and its example inputs."""

import ast
import contextlib
import inspect
import os
import pathlib
import random
import sys
import traceback

from extents import Extents
from serving import is_out_of_memory

EXAMPLES = ("get_inputs", "example_inputs", "inputs")
NO_OPERATOR = ("get_inputs", "get_init_inputs", "get_input_groups", "example_inputs", "inputs", "main", "test")


class Refused(Exception):
    """Why the file cannot be used: what, where (its line, 0: the whole file), what to do."""

    def __init__(self, what, line=0, hint=""):
        super().__init__(what)
        self.what, self.line, self.hint = what, line, hint


@contextlib.contextmanager
def blame(path, doing, hint, line=0):
    """Turns an exception of the file's code into a refusal with its line; with `line` if no line of the file is at fault."""
    try:
        yield
    except Refused:
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        if is_out_of_memory(error):
            raise  # not the file's fault
        raise Refused(f"{doing}: {explain(error)}", line_of(error, path) or line, hint) from error


def explain(error):
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__


def line_of(error, path):
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 0
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return lines[-1] if lines else 0


def set_seed(seed):
    import torch

    torch.manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % (1 << 32))


def quiet():
    return contextlib.redirect_stdout(sys.stderr)


class Reference:
    def __init__(self, path, function=""):
        self.path = pathlib.Path(path).absolute()
        try:
            self.text = self.path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(f"the file cannot be read: {explain(error)}", 0, "name a Python file") from error
        with blame(self.path, "the file is no Python", "correct the line"):
            self.extents = Extents(self.text, self.path)
        self.definitions = {node.name: node for node in self.extents.tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.lines = {name: node.lineno for name, node in self.definitions.items()}
        sys.path.insert(0, str(self.path.parent))
        os.chdir(self.path.parent)
        self.name = self._operator(function)
        self._loaded = {}

    def _operator(self, wanted):
        """`wanted`, else the class Model, else the one definition that no other uses; with get_init_inputs it is a class."""
        if wanted:
            if wanted not in self.definitions:
                raise Refused(f"it defines no {wanted}", 0, "it defines " + (", ".join(self.definitions) or "nothing"))
            return wanted
        if "Model" in self.definitions:
            return "Model"
        built = "get_init_inputs" in self.definitions
        found = {name: node for name, node in self.definitions.items() if name not in NO_OPERATOR}
        found = {name: node for name, node in found.items() if not name.startswith("_")} or found
        used = {node.id for one in self.extents.tree.body if getattr(one, "name", "") not in NO_OPERATOR
                for node in ast.walk(one) if isinstance(node, ast.Name) and node.id != getattr(one, "name", "")}
        left = [name for name, node in found.items() if name not in used and (isinstance(node, ast.ClassDef) or not built)]
        if len(left) == 1:
            return left[0]
        if not left:
            raise Refused("it defines no operator" + (f" ({', '.join(found)})" if found else ""), 1,
                          "define a class Model or a function, or name it with --operator")
        raise Refused(f"it defines several operators ({', '.join(left)}), none of which uses another", self.lines[left[1]],
                      "call the one that is wanted Model, or name it with --operator")

    @property
    def is_class(self):
        return isinstance(self.definitions[self.name], ast.ClassDef)

    def at(self, values):
        """The file with other numbers for its extents, executed."""
        key = tuple(sorted(values.items()))
        if key not in self._loaded:
            with blame(self.path, "the file does not run", "correct the line; PyTorch and what it imports must be there"), quiet():
                set_seed(0)
                self._loaded[key] = Loaded(self, self.extents.load(values))
        return self._loaded[key]

    def line_of_return(self):
        """The line of the operator's last `return`, else of its definition."""
        for node in ast.walk(self.extents.tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == self.name:
                functions = [one for one in ast.walk(node) if isinstance(one, ast.FunctionDef) and
                             one.name == ("forward" if self.is_class else self.name)]
                returns = [one.lineno for function in functions for one in ast.walk(function) if isinstance(one, ast.Return)]
                return max(returns) if returns else functions[0].lineno if functions else node.lineno
        return 0


class Loaded:
    """The executed file: its computation and its example inputs."""

    def __init__(self, reference, module):
        self.reference, self.module = reference, module
        self.path = reference.path
        self.operator = getattr(module, reference.name)
        if reference.is_class:
            import torch

            line = reference.lines[reference.name]
            if not (isinstance(self.operator, type) and issubclass(self.operator, torch.nn.Module)):
                raise Refused(f"class {reference.name} is not a torch.nn.Module", line, "derive it from torch.nn.Module")
            if self.operator.forward is torch.nn.Module.forward:
                raise Refused(f"class {reference.name} has no forward", line, "define forward")
        self.examples = next((name for name in EXAMPLES if hasattr(module, name)), None)
        if self.examples is None:
            raise Refused("it has no example inputs", reference.lines[reference.name],
                          "define get_inputs(), which returns a list of them")

    def parameters(self):
        """Default by name."""
        call = self.operator.forward if self.reference.is_class else self.operator
        with blame(self.path, "its parameters cannot be told", "give it named parameters"):
            parameters = inspect.signature(call).parameters
            return {name: parameter.default for name, parameter in parameters.items() if name != "self"}

    def arguments(self, seed):
        """Example inputs, as positional arguments."""
        line = self.reference.lines.get(self.examples, 0)
        with blame(self.path, f"{self.examples} fails", "it is called without arguments, on the CPU"), quiet():
            set_seed(seed)
            given = getattr(self.module, self.examples)
            given = given() if callable(given) else given
        import torch

        if isinstance(given, torch.Tensor):
            given = [given]
        if isinstance(given, dict):
            parameters = self.parameters()
            unknown = [name for name in given if name not in parameters]
            if unknown:
                raise Refused(f"{self.examples} names {unknown[0]}, which is not a parameter of {self.reference.name}", line,
                              "its parameters are " + ", ".join(parameters))
            names = list(parameters)
            names = names[:max(names.index(name) for name in given) + 1]
            missing = [name for name in names if name not in given and parameters[name] is inspect.Parameter.empty]
            if missing:
                raise Refused(f"{self.examples} leaves out {missing[0]}", line, "give it as well")
            given = [given.get(name, parameters[name]) for name in names]
        if not isinstance(given, (list, tuple)) or len(given) == 0:
            raise Refused(f"{self.examples} gives {'nothing' if not given else 'a ' + type(given).__name__}", line,
                          "it returns a list of example inputs, tensors among them")
        return list(given)

    def constants(self, given, seed):
        """Numbers, texts and lists of them that the operator is constructed and called with, by the parameter's name."""

        def bound(call, *arguments, **keywords):
            try:
                signature = inspect.signature(call)
                made = signature.bind(*arguments, **keywords)
            except (TypeError, ValueError):  # it has no signature, or takes something else
                return {}
            made.apply_defaults()
            plain = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
            return {name: value for name, value in made.arguments.items() if signature.parameters[name].kind not in plain}

        if not self.reference.is_class:
            return bound(self.operator, *given)
        arguments, keywords = self.initial(seed)
        return {**bound(self.operator, *arguments, **keywords), **bound(self.operator.forward, None, *given)}

    def initial(self, seed):
        """The constructor's arguments: (arguments, keywords)."""
        draw = getattr(self.module, "get_init_inputs", None)
        if draw is None:
            return [], {}
        with blame(self.path, "get_init_inputs fails", "it returns a list of what Model is constructed with"), quiet():
            set_seed(seed)
            given = draw()
        if isinstance(given, dict):
            return [], given
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        if len(given) == 2 and isinstance(given[0], (list, tuple)) and isinstance(given[1], dict):
            return list(given[0]), given[1]
        return given, {}

    def model(self, seed):
        """The module, or the function as an object without state."""
        if not self.reference.is_class:
            return self.operator
        arguments, keywords = self.initial(seed)
        line = self.reference.lines[self.reference.name]
        with blame(self.path, f"{self.reference.name} cannot be constructed", "get_init_inputs returns its arguments", line), \
                quiet():
            set_seed(seed)
            return self.operator(*arguments, **keywords)
