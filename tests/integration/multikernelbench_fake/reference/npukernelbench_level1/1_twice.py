import json
import os

import torch


class Model(torch.nn.Module):
    def forward(self, tensors, limit, mode="sum"):
        return [torch.clamp(2 * tensor, max=limit) for tensor in tensors]


def get_input_groups():
    with open(os.path.join(os.path.dirname(__file__), "1_twice.json")) as file:
        cases = [json.loads(line) for line in file if line.strip()]
    groups = []
    for case in cases:
        dtype = getattr(torch, case["dtype"])
        groups.append([[torch.randn(shape).to(dtype) for shape in case["shapes"]], float(case["limit"])])
    return groups


def get_init_inputs():
    return []
