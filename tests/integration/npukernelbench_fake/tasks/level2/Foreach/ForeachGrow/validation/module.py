import torch
import kernel_gen_ops


class Model(torch.nn.Module):
    def forward(self, x, by):
        for one in x:
            one.add_(by.item())
        return x


class ModelNew(torch.nn.Module):
    def forward(self, x, by):
        return kernel_gen_ops.foreach_grow(x, by)
