import torch


class Model(torch.nn.Module):
    def forward(self, x):
        import torch_npu
        return torch_npu.npu_something(x)


def get_inputs():
    return [torch.rand(4)]


def get_init_inputs():
    return []
