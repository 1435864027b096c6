"""Makes trainer_objective_reference.json, the numbers of trainer_objective_test.cpp: losses and gradients by autograd in
fp64, of objectives written out here from their papers, and of TRL's own trainers.

Run: python tests/unit/trainer_objective_reference.py > tests/unit/trainer_objective_reference.json
     (torch 2.11, trl 1.16: scripts/setup.sh --with-peers)
"""
import json
from collections import defaultdict
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from trl.trainer.dpo_trainer import DPOTrainer
from trl.trainer.grpo_trainer import GRPOTrainer
from trl.trainer.kto_trainer import KTOTrainer

torch.set_default_dtype(torch.float64)
torch.manual_seed(11)
LENGTHS = [3, 5, 2, 7, 4, 4, 6, 1]
LIMIT = 8


class Trainer(SimpleNamespace):
    """As much of a TRL trainer as its loss asks for; switches that are not named are off."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return False


def metrics():
    return defaultdict(lambda: defaultdict(list))


class Accelerator:
    num_processes, device = 1, "cpu"

    def __getattr__(self, _):
        return lambda x, *a, **k: x


def numbers(tensor):
    return tensor.detach().flatten().tolist()


def drawn():
    """Log-probabilities of the answers' tokens, one after the other, and an advantage for each answer."""
    total = sum(LENGTHS)
    current = (-torch.rand(total) * 3).requires_grad_(True)
    old = current.detach() + 0.4 * torch.randn(total)
    sampler = old + 0.5 * torch.randn(total)
    reference = current.detach() + 0.5 * torch.randn(total)
    return current, old, sampler, reference, torch.randn(len(LENGTHS))


def spans():
    begin = 0
    for length in LENGTHS:
        yield slice(begin, begin + length)
        begin += length


def padded(flat):
    return torch.stack([F.pad(flat[span], (0, LIMIT - (span.stop - span.start))) for span in spans()])  # (B, T)


def case(name, options, aggregation, loss, tensors):
    current, old, sampler, reference, advantages = tensors
    loss.backward()
    return {"name": name, "options": options, "aggregation": aggregation, "lengths": LENGTHS, "limit": LIMIT,
            "current": numbers(current), "old": numbers(old), "sampler": numbers(sampler),
            "reference": numbers(reference), "advantages": numbers(advantages), "loss": float(loss),
            "gradient": numbers(current.grad)}


def trl_grpo(name, loss_type, level, low, high, aggregation, options, delta=None):
    """GRPOTrainer._compute_loss on our tensors in place of a model's."""
    tensors = current, old, _, _, advantages = drawn()
    mask = padded(torch.ones(sum(LENGTHS)))
    log_probs = padded(current)
    trainer = Trainer(
        _get_per_token_logps_and_entropies=lambda *a, **k: (log_probs, torch.zeros_like(log_probs), None),
        _metrics=metrics(), accelerator=Accelerator(), top_entropy_quantile=1.0, off_policy_mask_threshold=None,
        importance_sampling_level=level, beta=0.0, loss_type=loss_type, epsilon_low=low, epsilon_high=high,
        max_completion_length=LIMIT,
        current_gradient_accumulation_steps=1, model=SimpleNamespace(training=True),
        args=SimpleNamespace(delta=delta, steps_per_generation=1, use_bias_correction_kl=False))
    prompt = torch.ones(len(LENGTHS), 1, dtype=torch.long)
    inputs = {"prompt_ids": prompt, "prompt_mask": prompt, "completion_ids": mask.long(), "completion_mask": mask.long(),
              "advantages": advantages, "old_per_token_logps": padded(old), "num_items_in_batch": mask.sum()}
    loss = GRPOTrainer._compute_loss(trainer, None, inputs)
    return case("TRL " + name, {"correction": "none", **options}, aggregation, loss, tensors)


def written_out(name, options, aggregation, factor):
    """-sum of weight x correction x the clipped objective, plus the divergence; `factor`: (old, sampler) of an answer
    to its correction."""
    tensors = current, old, sampler, reference, advantages = drawn()
    total, loss = sum(LENGTHS), 0
    for span, advantage in zip(spans(), advantages):
        length = span.stop - span.start
        share = {"token": 1 / total, "sequence-mean": 1 / (len(LENGTHS) * length), "sequence-sum": 1 / len(LENGTHS),
                 "constant": 1 / (len(LENGTHS) * LIMIT)}[aggregation]
        if options.get("surrogate") == "log-prob":
            value = current[span] * advantage
        else:
            ratio = torch.exp(current[span] - old[span])
            value = torch.minimum(ratio * advantage, torch.clamp(ratio, 0.8, 1.28) * advantage)
        loss = loss - (value * factor(old[span], sampler[span])).sum() * share
        d = reference[span] - current[span]
        kl = {"k2": d * d / 2, "k3": torch.exp(d) - d - 1}[options.get("kl_estimator", "k3")]
        loss = loss + options.get("kl_weight", 0) * kl.sum() * share
    return case(name, options, aggregation, loss, tensors)


def token_mask(old, sampler):
    ratio = torch.exp(old - sampler)
    return torch.where((ratio >= 0.7) & (ratio <= 1.5), ratio, torch.zeros_like(ratio))


objectives = [
    trl_grpo("GSPO", "grpo", "sequence", 0.1, 0.15, "sequence-mean",
             {"ratio": "sequence", "clip_low": 0.1, "clip_high": 0.15}),
    trl_grpo("CISPO", "cispo", "token", 0.2, 1.2, "token",
             {"surrogate": "detached", "clip_low": 1.0, "clip_high": 0.2}),
    trl_grpo("DAPO", "dapo", "token", 0.2, 0.28, "token", {}),
    trl_grpo("Dr. GRPO", "dr_grpo", "token", 0.2, 0.2, "constant", {"clip_high": 0.2}),
    trl_grpo("GRPO", "grpo", "token", 0.2, 0.2, "sequence-mean", {"clip_high": 0.2}),
    trl_grpo("two-sided clip", "dapo", "token", 0.2, 0.28, "token", {"dual_clip": 1.4}, delta=1.4),
    written_out("no correction", {"correction": "none"}, "token", lambda old, sampler: 1),
    written_out("REINFORCE on sequences", {"surrogate": "log-prob", "correction": "none"}, "sequence-sum",
                lambda old, sampler: 1),
    written_out("capped sequence weights", {"correction": "sequence", "cap": 1.5}, "token",
                lambda old, sampler: torch.clamp(torch.exp((old - sampler).sum()), max=1.5)),
    written_out("IcePop", {"correction": "token-mask", "mask_low": 0.7, "mask_high": 1.5}, "token", token_mask),
    written_out("MirrorPop", {"correction": "sequence-mask", "limit": 0.4}, "sequence-mean",
                lambda old, sampler: float((old - sampler).abs().mean() <= 0.4)),
    written_out("k2 in the loss", {"kl_estimator": "k2", "kl_weight": 0.1, "correction": "none"}, "token",
                lambda old, sampler: 1),
    written_out("k3 in the loss", {"kl_weight": 0.1, "cap": 1.2}, "token",
                lambda old, sampler: torch.clamp(torch.exp(old - sampler), max=1.2)),
]


def advantage_case(name, baseline, std, beta):
    """Penalties of beta x (log policy - log reference) a token."""
    rewards = torch.tensor([0.0, 1.0, 0.2, 0.4, 1.0, 1.0, 0.1, 0.0])
    kl = torch.randn(sum(LENGTHS))
    penalties = [beta * kl[span] for span in spans()]
    result = []
    if baseline == "batch":  # REINFORCE++: returns to go, normalised over all tokens of the batch
        returns = torch.cat([r - torch.flip(torch.cumsum(torch.flip(p, [0]), 0), [0])
                             for r, p in zip(rewards, penalties)])
        flat = (returns - returns.mean()) / (returns.std() + 1e-4)
        result = [numbers(flat[span]) for span in spans()]
    else:
        scores = torch.stack([r - p.sum() for r, p in zip(rewards, penalties)])
        for group in (scores[:4], scores[4:]):
            for i in range(4):
                others = torch.cat([group[:i], group[i + 1:]])
                center = others.mean() if baseline == "leave-one-out" else group.mean()
                result.append([float((group[i] - center) / (group.std() + 1e-4 if std else 1))])
    return {"name": name, "baseline": baseline, "std": std, "rewards": numbers(rewards), "lengths": LENGTHS,
            "penalties": [numbers(p) for p in penalties] if beta else None, "advantages": result}


advantage_cases = [advantage_case("REINFORCE++", "batch", True, 0.0),
                   advantage_case("REINFORCE++ with its penalty", "batch", True, 0.1),
                   advantage_case("RLOO with a penalty", "leave-one-out", False, 0.1),
                   advantage_case("GRPO with a penalty", "group", True, 0.1)]


class Scripted(torch.nn.Module):
    """A model whose forward pass gives log-probabilities that were fixed before."""

    is_gradient_checkpointing = False

    def __init__(self, log_probs):
        super().__init__()
        self.log_probs = log_probs

    def forward(self, **_):
        return SimpleNamespace(log_probs=self.log_probs, entropy=torch.zeros_like(self.log_probs),
                               mean_logits=torch.zeros_like(self.log_probs),
                               is_top1=torch.zeros_like(self.log_probs).bool(), loss=None)


def preference_case(loss_type, beta):
    """Answers 0 to 3 are chosen, 4 to 7 the rejected ones beside them."""
    current, _, _, reference, _ = drawn()
    mask = padded(torch.ones(sum(LENGTHS)))
    ids = torch.cat([torch.zeros(len(LENGTHS), 1), mask], 1).long()
    common = {"_metrics": metrics(), "accelerator": Accelerator(), "beta": beta,
              "model": Scripted(None), "_tp_size": 1, "ref_model": Scripted(padded(reference)),
              "args": SimpleNamespace(gradient_checkpointing_kwargs=None, gradient_checkpointing=False)}
    kl = None
    if loss_type == "kto":
        kl_current, kl_reference = -torch.rand(len(LENGTHS)) * 3, -torch.rand(len(LENGTHS)) * 4
        kl = float((kl_current - kl_reference).mean().clamp(min=0))
        models = {True: kl_current, False: kl_reference}
        policy = Scripted(padded(current))
        trainer = Trainer(**common, calculate_KL=True, loss_type="kto",
                                  desirable_weight=1.0, undesirable_weight=1.5,
                                  _compute_kl_logps=lambda model, batch: models[model is policy])
        batch = {"label": torch.tensor([1, 1, 1, 1, 0, 0, 0, 0]), "input_ids": ids, "attention_mask": ids,
                 "completion_mask": ids}
        loss = KTOTrainer._compute_loss(trainer, policy, batch, return_outputs=False)
    else:
        trainer = Trainer(**common, ld_alpha=None, f_divergence_type="reverse_kl",
                                  loss_types=[loss_type], loss_weights=[1.0])
        batch = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "completion_mask": ids}
        loss = DPOTrainer._compute_loss(trainer, Scripted(padded(current)), batch, return_outputs=False)
    loss.backward()
    return {"name": loss_type, "beta": beta, "lengths": LENGTHS, "current": numbers(current),
            "reference": numbers(reference), "kl": kl, "loss": float(loss), "gradient": numbers(current.grad)}


preferences = [preference_case(*row) for row in (("sigmoid", 0.1), ("sigmoid", 0.5), ("ipo", 0.1), ("kto", 0.2))]
print(json.dumps({"objectives": objectives, "advantages": advantage_cases, "preferences": preferences}))
