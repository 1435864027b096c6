"""Steps of SFT by transformers and PyTorch, for `kgtrain bench sft`: forward, loss on all tokens, backward, clipping, fused AdamW.

One argument, the request as JSON; prints the result as a line of JSON. In bf16 the weights themselves are bf16, which is PyTorch's fastest way (kgtrain
keeps them in fp32).
"""
import json
import resource
import sys
import time

import torch
import transformers


def load(request):
    dtype = getattr(torch, request["dtype"])
    if request["model"].endswith(".json"):
        config = transformers.AutoConfig.for_model(**json.load(open(request["model"])))
        with torch.device(request["device"]):
            return transformers.AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation="sdpa")
    return transformers.AutoModelForCausalLM.from_pretrained(request["model"], dtype=dtype, attn_implementation="sdpa").to(request["device"])


def main():
    request = json.loads(sys.argv[1])
    if request["threads"]:
        torch.set_num_threads(request["threads"])
    model = load(request)
    vocabulary = model.config.vocab_size
    model.train()
    if request.get("compile"):
        model = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=0.0, fused=True)
    times = []
    for _ in range(request["steps"] + 2):
        start = time.monotonic()
        for _ in range(request["rows"]):
            ids = torch.randint(0, vocabulary, (request["documents"], request["length"])).to(request["device"])
            (model(ids, labels=ids, use_cache=False).loss / request["rows"]).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        next(model.parameters()).flatten()[0].item()  # waits for the device
        times.append(time.monotonic() - start)
    best = min(times[2:])
    tokens = request["rows"] * request["documents"] * request["length"]
    print(json.dumps({"seconds": best, "rate": tokens / best, "version": transformers.__version__,
                      "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


main()
