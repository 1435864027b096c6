"""PyTorch programs that write to parts of tensors, as programs that do not: torch.export says them so."""

import warnings

import torch
import torch.utils._pytree

from wide import walk


class _Called(torch.nn.Module):
    """A module or a function, with the tensors of its result alone."""

    def __init__(self, call, listed):
        super().__init__()
        self.call, self.listed = call, listed

    def forward(self, *arguments):
        found = []
        walk([self.listed(self.call(*arguments))], found.append)
        return found


def _circular(x, pad, mode="constant", value=None):
    """aten.pad, which otherwise writes the parts of a circular one."""
    if mode != "circular":
        return NotImplemented
    for axis, (before, behind) in enumerate(zip(pad[::2], pad[1::2])):
        axis = x.dim() - 1 - axis
        x = torch.cat([x.narrow(axis, x.shape[axis] - before, before), x, x.narrow(axis, 0, behind)], axis)
    return x


def without_writes(call, arguments, listed):
    """A function without arguments that computes listed(call(*arguments)) and changes no tensor. Raises what torch.export does."""
    from torch.export.graph_signature import InputKind, OutputKind

    module = _Called(call, listed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about PyTorch's own code
        program = torch.export.export(module, tuple(arguments), strict=False)
        program = program.run_decompositions({torch.ops.aten.pad.default: _circular})
    leaves = iter(torch.utils._pytree.tree_leaves(tuple(arguments)))

    def tensor_of(spec):
        if spec.kind == InputKind.USER_INPUT:
            return next(leaves)
        held = module
        for part in spec.target.split("."):
            held = getattr(held, part, None)
        return held if held is not None else program.constants[spec.target]

    taken = [tensor_of(spec) for spec in program.graph_signature.input_specs]
    results = [place for place, spec in enumerate(program.graph_signature.output_specs) if spec.kind == OutputKind.USER_OUTPUT]

    def run():
        made = program.graph_module(*taken)
        return [made[place] for place in results]

    return run
