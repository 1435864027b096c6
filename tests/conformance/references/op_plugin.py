"""The two kernels of op-plugin's examples that are launched directly."""

import numpy as np

from .harness import Case, uniform

REPOSITORY = "op-plugin"
LENGTH = 16384
FOLDERS = ("cpp_extension/csrc", "cpp_extension_asc/csrc", "kernel_extension_aclgraph/pybind/csrc", "kernel_extension_aclgraph/torch_library/csrc")


def cases(random):
    first, second = (random.integers(-1000, 1000, LENGTH).astype(np.int32) for _ in range(2))
    angle = uniform(random, -1.2, 1.2, LENGTH)
    for folder in FOLDERS:
        yield Case(folder, f"examples/{folder}/add_custom.asc", "add_custom", [first, second], [first + second], [LENGTH], blocks=8)
        yield Case(folder, f"examples/{folder}/trig_inplace_custom.asc", "trig_inplace_custom", [angle],
                   [np.sin(angle), np.cos(angle), np.tan(angle)], [LENGTH], blocks=8)
