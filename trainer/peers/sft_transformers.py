"""Steps of SFT by transformers and PyTorch, for `kgtrain bench sft`: forward, loss on all tokens, backward, clipping, fused AdamW.

One argument, the request as JSON; prints the result as a line of JSON. In bf16 the weights themselves are bf16, which is PyTorch's fastest way (kgtrain
keeps them in fp32).
"""
import time

import peer
import torch
import transformers


def main():
    request = peer.read_request()
    model = peer.load_model(request)
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
    peer.print_result(seconds=best, rate=tokens / best, version=transformers.__version__)


main()
