# refused at line 5: has no forward
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()


def get_inputs():
    return [torch.rand(4)]
