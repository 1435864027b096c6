import torch


def gather_rows(table, rows):
    return table[rows]


def get_inputs():
    return [torch.randn(50, 24), torch.randperm(50)[:30]]
