# refused at line 8: SystemExit
import sys

import torch


def f(x):
    sys.exit(3)


def get_inputs():
    return [torch.rand(4)]
