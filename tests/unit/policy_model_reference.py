"""Writes policy_tiny_model.safetensors: a small random Llama, two packed documents, and the logits and gradients that
transformers computes for them in fp32. Run with a Python that has torch and transformers."""

import pathlib

import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(7)
config = LlamaConfig(vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
                     num_key_value_heads=2, head_dim=8, max_position_embeddings=64, rms_norm_eps=1e-5, rope_theta=10000.0,
                     tie_word_embeddings=True, attn_implementation="eager")
model = LlamaForCausalLM(config).float()
with torch.no_grad():
    for name, parameter in model.named_parameters():
        parameter.copy_(torch.randn_like(parameter) * 0.3 + (1.0 if "norm" in name else 0.0))
lengths = [13, 8]
ids = torch.randint(0, 96, (sum(lengths),))
weights = torch.rand(sum(lengths))  # of each position's target in the loss
logits, loss, begin = [], 0.0, 0
for length in lengths:  # one document at a time: nothing of packing is shared with the code under test
    part = ids[begin:begin + length]
    out = model(part[None]).logits[0]
    target = torch.roll(part, -1)
    log_prob = torch.log_softmax(out / 0.7, -1).gather(1, target[:, None])[:, 0]
    loss = loss - (log_prob * weights[begin:begin + length]).sum()
    logits.append(out)
    begin += length
loss.backward()
tensors = {"in." + name: p.detach() for name, p in model.named_parameters()}
tensors |= {"gradient." + name: p.grad for name, p in model.named_parameters()}
tensors |= {"ids": ids.float(), "weights": weights, "logits": torch.cat(logits).detach(), "loss": loss.detach()[None]}
save_file({k: v.contiguous() for k, v in tensors.items()}, pathlib.Path(__file__).parent / "policy_tiny_model.safetensors")
