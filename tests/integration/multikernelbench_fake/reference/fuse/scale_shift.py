import os
import signal

import torch


class Model(torch.nn.Module):
    def __init__(self, width, factor):
        super().__init__()
        self.shift = torch.nn.Parameter(torch.randn(width))
        self.factor = factor

    def forward(self, x):
        if os.environ.get("FAKE_KILL"):
            os.kill(os.getppid(), signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
        return x * self.factor, x + self.shift


def get_inputs():
    return [torch.rand(4, 16)]


def get_init_inputs():
    return [16, 0.5]
