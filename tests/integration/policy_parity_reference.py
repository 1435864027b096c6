"""What transformers and PEFT make of a model that kgtrain exported, as safetensors.

  policy_parity_reference.py MODEL_FOLDER ADAPTER_FOLDER OUT.safetensors

"ids" (T) with "loss", the mean over next tokens, and "gradient.NAME" of each parameter, both in fp64 (in fp32, PyTorch's log_softmax over
49,152 tokens loses the unlikely ones beside a likely one, which moves some gradients by a thousandth); in fp32, "prompt.I" and "greedy.I", the 200 tokens that
follow it, with "margin.I", by how much the best logit was ahead of the second; "adapted", logits of ids with the adapter (PEFT).
"""

import sys

import torch
from peft import PeftModel
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

NEW = 200
PROMPTS = ["Write a kernel that adds two vectors of half precision.", "The three laws of thermodynamics are", "int main(int argc, char** argv) {",
           "Once upon a time, in a small village by the sea,"]


@torch.no_grad()
def greedy(model, ids):
    cache, tokens, margins, fed = None, [], [], ids
    for _ in range(NEW):
        out = model(torch.tensor([fed]), past_key_values=cache, use_cache=True)
        cache = out.past_key_values
        best = out.logits[0, -1].topk(2)
        tokens.append(int(best.indices[0]))
        margins.append(float(best.values[0] - best.values[1]))
        fed = tokens[-1:]
    return tokens, margins


def main():
    model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
    ids = torch.tensor(tokenizer(open(__file__).read())["input_ids"][:400])
    exact = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float64)
    loss = torch.nn.functional.cross_entropy(exact(ids[None]).logits[0, :-1], ids[1:])
    loss.backward()
    tensors = {"gradient." + name: parameter.grad.float() for name, parameter in exact.named_parameters()}
    tensors |= {"ids": ids.float(), "loss": loss.detach().float().reshape(1)}
    for i, text in enumerate(PROMPTS):
        prompt = tokenizer(text)["input_ids"]
        tokens, margins = greedy(model, prompt)
        tensors |= {f"prompt.{i}": torch.tensor(prompt).float(), f"greedy.{i}": torch.tensor(tokens).float(),
                    f"margin.{i}": torch.tensor(margins)}
    adapted = PeftModel.from_pretrained(model, sys.argv[2])
    with torch.no_grad():
        tensors["adapted"] = adapted(ids[None]).logits[0].contiguous()
    save_file(tensors, sys.argv[3])


main()
