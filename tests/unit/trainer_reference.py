"""Makes trainer_reference.json, the numbers of trainer_reference_test.cpp, with PyTorch alone.

Run: python tests/unit/trainer_reference.py > tests/unit/trainer_reference.json   (torch 2.11, CPU)
"""
import json

import torch

torch.manual_seed(7)
torch.set_num_threads(1)


def numbers(tensor):
    return tensor.detach().double().flatten().tolist()


def policy_loss_case(dtype, aggregation, std, leave_one_out, cap, kl_weight, temperature_gap):
    """GRPO written answer by answer, loss and gradient by autograd."""
    rewards = torch.tensor([[0.0, 1.0, 0.2, 0.4], [1.0, 1.0, 0.1, 0.0]], dtype=torch.float64)
    lengths = [3, 5, 2, 7, 4, 4, 6, 1]
    total = sum(lengths)
    current = (-torch.rand(total, dtype=torch.float64) * 3).to(dtype).requires_grad_(True)
    old = (current.detach().double() + 0.4 * torch.randn(total, dtype=torch.float64)).to(dtype)
    sampler = (old.double() + temperature_gap * torch.randn(total, dtype=torch.float64)).to(dtype)
    reference = (current.detach().double() + 0.5 * torch.randn(total, dtype=torch.float64)).to(dtype)
    advantages = []
    for group in rewards:
        for i in range(len(group)):
            others = torch.cat([group[:i], group[i + 1:]])
            baseline = others.mean() if leave_one_out else group.mean()
            scale = group.std() + 1e-4 if std else 1.0
            advantages.append((group[i] - baseline) / scale)
    limit = 8
    loss = torch.zeros((), dtype=dtype)
    kl_total = torch.zeros((), dtype=dtype)
    clipped_count = 0
    begin = 0
    for length, advantage in zip(lengths, advantages):
        span = slice(begin, begin + length)
        begin += length
        ratio = torch.exp(current[span] - old[span])
        surrogate = ratio * advantage.to(dtype)
        bounded = torch.clamp(ratio, 0.8, 1.28) * advantage.to(dtype)
        clipped_count += int((bounded < surrogate).sum())
        value = torch.minimum(surrogate, bounded)
        if cap > 0:
            value = value * torch.clamp(torch.exp(old[span] - sampler[span]), max=cap)
        log_ratio = reference[span] - current[span]
        k3 = torch.exp(log_ratio) - log_ratio - 1
        if aggregation == "token":
            share = 1 / total
        elif aggregation == "sequence-mean":
            share = 1 / (len(lengths) * length)
        else:
            share = 1 / (len(lengths) * limit)
        loss = loss - value.sum() * share + kl_weight * k3.sum() * share
        kl_total = kl_total + k3.sum() * share
    loss.backward()
    return {
        "dtype": str(dtype).split(".")[1], "aggregation": aggregation, "std": std, "leave_one_out": leave_one_out,
        "cap": cap, "kl_weight": kl_weight, "limit": limit, "rewards": rewards.tolist(), "lengths": lengths,
        "current": numbers(current), "old": numbers(old), "sampler": numbers(sampler), "reference": numbers(reference),
        "advantages": [float(a) for a in advantages], "loss": float(loss), "kl": float(kl_total),
        "clipped": clipped_count, "gradient": numbers(current.grad),
    }


def adamw_case(dtype, weight_decay, clip):
    matrix = torch.nn.Parameter(torch.randn(4, 5, dtype=torch.float64).to(dtype))
    vector = torch.nn.Parameter(torch.randn(6, dtype=torch.float64).to(dtype))
    start = [numbers(matrix), numbers(vector)]
    optimizer = torch.optim.AdamW(
        [{"params": [matrix], "weight_decay": weight_decay}, {"params": [vector], "weight_decay": 0.0}],
        lr=1e-2, betas=(0.9, 0.95), eps=1e-8, foreach=False, fused=False)
    steps = []
    for step in range(6):
        rate = 1e-2 / (step + 1)
        for group in optimizer.param_groups:
            group["lr"] = rate
        matrix.grad = (3 * torch.randn(4, 5, dtype=torch.float64)).to(dtype)
        vector.grad = (3 * torch.randn(6, dtype=torch.float64)).to(dtype)
        gradients = [numbers(matrix.grad), numbers(vector.grad)]
        norm = torch.nn.utils.clip_grad_norm_([matrix, vector], clip)
        optimizer.step()
        steps.append({"rate": rate, "gradients": gradients, "norm": float(norm),
                      "weights": [numbers(matrix), numbers(vector)]})
    return {"dtype": str(dtype).split(".")[1], "weight_decay": weight_decay, "clip": clip, "start": start, "steps": steps}


def schedule_case(decay, warmup, total, final_ratio):
    peak = 5e-4
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=peak)
    lr = torch.optim.lr_scheduler
    parts = []
    if warmup > 1:
        parts.append(lr.LinearLR(optimizer, start_factor=1 / warmup, end_factor=1.0, total_iters=warmup - 1))
    if decay == "cosine":
        parts.append(lr.CosineAnnealingLR(optimizer, T_max=total - warmup, eta_min=peak * final_ratio))
    elif decay == "linear":
        parts.append(lr.LinearLR(optimizer, start_factor=1.0, end_factor=final_ratio, total_iters=total - warmup))
    else:
        parts.append(lr.ConstantLR(optimizer, factor=1.0))
    scheduler = lr.SequentialLR(optimizer, parts, milestones=[warmup] if len(parts) == 2 else [])
    rates = []
    for _ in range(total):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return {"decay": decay, "warmup": warmup, "total": total, "final_ratio": final_ratio, "peak": peak, "rates": rates}


cases = {"policy_loss": [], "adamw": [], "schedule": []}
for dtype in (torch.float64, torch.float32):
    for row in (("token", True, False, 2.0, 0.0), ("token", True, False, 0.0, 0.05), ("sequence-mean", True, False, 2.0, 0.1),
                ("constant", False, False, 1.0, 0.0), ("token", False, True, 2.0, 0.04)):
        cases["policy_loss"].append(policy_loss_case(dtype, *row, temperature_gap=0.5))
    cases["adamw"] += [adamw_case(dtype, 0.1, 1.0), adamw_case(dtype, 0.0, 100.0)]
for row in (("cosine", 5, 40, 0.1), ("cosine", 0, 17, 0.05), ("linear", 10, 60, 0.1), ("constant", 4, 12, 1.0)):
    cases["schedule"].append(schedule_case(*row))
print(json.dumps(cases))
