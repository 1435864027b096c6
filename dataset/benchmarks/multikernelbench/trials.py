"""The cases of a task: five trials from one seed, or the groups of inputs that a levelled task lists."""

import contextlib
import inspect
import random
import sys

import numpy
import torch

import forms
import measure
from extents import Extents, TooLarge, scaled
from serving import Unreadable, load
from tensors import input_bytes, refuse_larger
from wide import Wide, copied, walk, widened

OTHER_GROUPS = 1 << 28  # bytes of a task's groups of inputs that are drawn once more for one of them
GROUPS_AT_ONCE = 4  # times --largest: get_input_groups draws all of a task's groups


def set_seed(seed):
    torch.manual_seed(seed)
    numpy.random.seed(seed)
    random.seed(seed)


def quiet():
    return contextlib.redirect_stdout(sys.stderr)


class Trials:
    """As execute_template of the benchmark draws them: the seed, the module's weights, then one trial's inputs after the
    other. A module of its own is made for each trial, so that no trial depends on earlier ones."""

    def __init__(self, task, rules, values=None, scale=None):
        """values: other numbers for names of the file. scale: (bytes of a case at most, bytes of UB), to find them."""
        self.task, self.rules = task, rules
        self.text = task.path.read_text()
        self.unscaled = ""  # why they are not others, where --scale asks for it
        self.full = None  # (role, shape, bytes of an element) at the file's own sizes, where these are others
        if values is None and scale:
            values = self._smaller(*scale)
        self.values = values or {}
        with quiet():
            self.module = Extents(self.text, task.path).load(values) if values else load("reference_module", task.path)
        for wanted in ("Model", "get_init_inputs"):
            if not hasattr(self.module, wanted):
                raise Unreadable(f"it defines no {wanted}")
        self.grouped = hasattr(self.module, "get_input_groups")
        if not self.grouped and not hasattr(self.module, "get_inputs"):
            raise Unreadable("it defines neither get_inputs nor get_input_groups")
        self._groups = None
        self._next, self._state = None, None
        self._measured = None

    def _smaller(self, most_bytes, ub_bytes):
        extents = Extents(self.text, self.task.path)
        if hasattr(extents.load(), "get_input_groups"):
            return {}
        try:
            full = self._sizes(extents, {})
            if full.fits(most_bytes):
                return {}
            values, _ = scaled(extents, lambda values: self._sizes(extents, values), full, most_bytes, ub_bytes)
        except TooLarge as error:  # then it keeps its size, or is left out
            self.unscaled = f"; --scale {most_bytes / 1e6:.0f} is too small: {error}"
            return {}
        except Exception:
            return {}
        self.full = full.tensors if values else None
        return values

    @staticmethod
    def _sizes(extents, values):
        with quiet(), torch.device("meta"), measure.WithoutNumbers(), torch.no_grad():
            module = extents.load(values)
            arguments = list(module.get_inputs())
            model = module.Model(*module.get_init_inputs())
            state = [tensor for name, tensor in [*model.named_parameters(), *model.named_buffers()]
                     if not name.endswith("num_batches_tracked")]
            return measure.size_of(arguments, state, lambda: model(*arguments))

    def at_full_size(self):
        """The file with its own numbers."""
        return Extents(self.text, self.task.path).load() if self.full else self.module

    def count(self, most_bytes):
        return len(self._all_groups(most_bytes)) if self.grouped else self.rules.trials

    def parameters(self):
        return [name for name in inspect.signature(self.module.Model.forward).parameters if name != "self"]

    def init(self):
        set_seed(self.rules.seed)
        with quiet():
            return list(self.module.get_init_inputs())

    def model(self):
        """The module, seeded; what is drawn next are the inputs of the first trial."""
        init = self.init()
        set_seed(self.rules.seed)
        with quiet(), torch.no_grad():
            return self.module.Model(*init)

    def arguments(self, index, most_bytes):
        if self.grouped:
            return self._all_groups(most_bytes)[index]
        refuse_larger(most_bytes, self._bytes_without_drawing(), self.unscaled)
        if self._next != index:
            self.model()
            self._next = 0
            while self._next < index:
                self._draw()
        else:
            self._restore()
        arguments = self._draw()
        refuse_larger(most_bytes, input_bytes(arguments), self.unscaled)
        return arguments

    def other_arguments(self, index, seed):
        """Like a case's, from another seed. The benchmark's own draws are not affected."""
        if self.grouped:
            refuse_larger(OTHER_GROUPS, input_bytes(self._without_data(self.module.get_input_groups)))
        before = torch.get_rng_state(), numpy.random.get_state(), random.getstate()
        set_seed(seed)
        try:
            with quiet():
                drawn = self.module.get_input_groups()[index] if self.grouped else self.module.get_inputs()
        finally:
            torch.set_rng_state(before[0])
            numpy.random.set_state(before[1])
            random.setstate(before[2])
        return copied(list(drawn))

    def _draw(self):
        with quiet():
            drawn = list(self.module.get_inputs())
        self._next += 1
        self._state = torch.get_rng_state(), numpy.random.get_state(), random.getstate()
        return drawn

    def _restore(self):
        torch.set_rng_state(self._state[0])
        numpy.random.set_state(self._state[1])
        random.setstate(self._state[2])

    def _without_data(self, draw):
        with quiet(), torch.device("meta"), measure.WithoutNumbers():
            return list(draw())

    def _bytes_without_drawing(self):
        """Bytes of a trial's inputs, or None if tensors without data cannot tell."""
        try:
            return input_bytes(self._without_data(self.module.get_inputs))
        except Exception:
            return None

    def _all_groups(self, most_bytes):
        if self._groups is None:
            try:
                size = input_bytes(self._without_data(self.module.get_input_groups))
            except Exception:
                size = None
            if most_bytes and size is not None and size > GROUPS_AT_ONCE * most_bytes:
                raise Unreadable(f"its groups of inputs are drawn at once and are {size / 1e6:.0f} MB together, and --largest "
                                 f"is {most_bytes / 1e6:.0f} MB for one")
            self.model()
            with quiet():
                self._groups = [list(group) for group in self.module.get_input_groups()]
        return self._groups

    # The reference's results.
    def measured(self, arguments):
        """On tensors without data; None if the reference looks at numbers while it runs. All trials have the same shapes."""
        if self._measured and not self.grouped:
            return self._measured[0]
        init = self.init()
        try:
            with quiet(), torch.device("meta"), measure.WithoutNumbers():
                found = measure.Measured(lambda: self.module.Model(*init)(*_to(arguments, "meta")))
        except Exception:
            found = None
        self._measured = [found]
        return found

    def expected(self, arguments):
        """The result, and whether random numbers were drawn for it."""
        model = self.model()
        before = torch.get_rng_state()
        with quiet(), torch.no_grad():
            result = model(*_copied(arguments))
        return result, not torch.equal(before, torch.get_rng_state())

    def expected64(self, arguments):
        model = self.model().to(torch.float64)
        with quiet(), torch.no_grad(), Wide():
            return model(*widened(list(arguments)))


def _to(values, device):
    return walk(list(values), lambda tensor: tensor.to(device))


def _copied(values):
    """A module may write to its inputs."""
    return copied(list(values))
