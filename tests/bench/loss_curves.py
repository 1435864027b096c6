"""Trains on the steps of `kgtrain sft` in PyTorch with transformers' model and fp32 masters, and compares the loss of each step.

    sft_batches DATA MODEL SEED 200 BATCH_TOKENS LENGTH >SEED.jsonl        # for each seed
    kgtrain sft --data DATA --model MODEL --seed SEED --steps 200 ... --out RUN_SEED
    loss_curves.py MODEL_FOLDER [--device cuda] --run 1.jsonl RUN_1 [--run 2.jsonl RUN_2 ...]

PyTorch goes over each step twice: with everything in fp32 (no TF32), and computing in bf16 by autocast, as mixed precision is usual there. What
those two differ by is the noise that bf16 brings; a run of kgtrain's in bf16 is to be no farther from fp32 than that. Prints a row a seed: mean of
|difference| of the losses of the last 100 steps, mean difference, and the mean loss of the last 20 steps.
"""
import argparse
import json
import math
import pathlib

import torch
import transformers


def rate(step, options):
    """As docs/reference/cli.md has it for sft: linear warm-up, then cosine."""
    warm = round(options.warmup * options.steps)
    if step < warm:
        return options.learning_rate * (step + 1) / warm
    progress = (step - warm) / max(1, options.steps - warm)
    low = options.learning_rate * options.final_learning_rate
    return low + (options.learning_rate - low) * 0.5 * (1 + math.cos(math.pi * progress))


def loss_of(model, documents, device):
    """Sum over answer tokens of -log p, divided by their number."""
    longest = max(len(d["ids"]) for d in documents)
    ids = torch.zeros(len(documents), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    labels = torch.full_like(ids, -100)
    for i, d in enumerate(documents):
        n = len(d["ids"])
        ids[i, :n] = torch.tensor(d["ids"])
        mask[i, :n] = 1
        labels[i, d["prompt"]:n] = ids[i, d["prompt"]:n]
    logits = model(input_ids=ids.to(device), attention_mask=mask.to(device)).logits[:, :-1].float()
    return torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels[:, 1:].reshape(-1).to(device))


def train(batches, options, autocast):
    model = transformers.AutoModelForCausalLM.from_pretrained(options.model, dtype=torch.float32, attn_implementation="sdpa").to(options.device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=options.learning_rate, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.0)
    losses = []
    for step, documents in enumerate(batches):
        for group in optimiser.param_groups:
            group["lr"] = rate(step, options)
        optimiser.zero_grad()
        with torch.autocast(options.device.split(":")[0], dtype=torch.bfloat16, enabled=autocast):
            loss = loss_of(model, documents, options.device)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
    return losses


def losses_of(run):
    lines = [json.loads(line) for line in open(pathlib.Path(run) / "metrics.jsonl")]
    return [line["loss"] for line in lines if "loss" in line]


def compare(ours, reference):
    differences = [a - b for a, b in zip(ours[-100:], reference[-100:])]
    return sum(map(abs, differences)) / len(differences), sum(differences) / len(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="folder in Hugging Face's form (kgtrain export)")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--warmup", type=float, default=0.05)
    parser.add_argument("--final-learning-rate", type=float, default=0.05)
    parser.add_argument("--run", nargs="+", action="append", metavar=("BATCHES", "RUN"), required=True)
    parser.add_argument("--curves", help="file for all curves, as JSON; what it holds of PyTorch already is not computed again")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    print(f"{'':34} {'|difference|':>12} {'difference':>11} {'last 20':>8}")
    known = json.load(open(options.curves)) if options.curves and pathlib.Path(options.curves).exists() else {}
    curves = {}
    for batches_file, *runs in options.run:
        batches = [json.loads(line) for line in open(batches_file)]
        options.steps = len(batches)
        rows = known.get(batches_file) or {"PyTorch fp32": train(batches, options, autocast=False), "PyTorch autocast": train(batches, options, autocast=True)}
        exact = rows["PyTorch fp32"]
        rows |= {run: losses_of(run) for run in runs}
        curves[batches_file] = rows
        for name, losses in rows.items():
            if len(losses) != len(exact):
                raise SystemExit(f"{name}: {len(losses)} losses, where {batches_file} has {len(exact)} steps")
            size, signed = compare(losses, exact)
            print(f"{pathlib.Path(batches_file).stem + ' ' + name[-24:]:34} {size:12.5f} {signed:+11.5f} {sum(losses[-20:]) / 20:8.4f}", flush=True)
    if options.curves:
        json.dump(curves, open(options.curves, "w"))


main()
