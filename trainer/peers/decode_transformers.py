"""Generation by transformers, for `kgtrain bench decode`: a batch of prompts, tokens drawn from the whole distribution at temperature 1.

One argument, the request as JSON; prints the result as a line of JSON.
"""
import time

import peer
import torch
import transformers


class FirstToken(transformers.StoppingCriteria):
    """Never stops; notes when the first token is there, which is when the prompt has been computed."""

    def __init__(self):
        self.time = None

    def __call__(self, ids, scores, **kwargs):
        if self.time is None:
            ids[0, -1].item()
            self.time = time.monotonic()
        return torch.zeros(ids.shape[0], dtype=torch.bool, device=ids.device)


def main():
    request = peer.read_request()
    model = peer.load_model(request).eval()
    rows = [[(t * 7919 + p * 104729) % model.config.vocab_size for t in range(request["prompt_tokens"])]
            for p in range(request["prompts"]) for _ in range(request["completions"])]
    ids, new = torch.tensor(rows).to(request["device"]), request["new_tokens"]
    options = dict(attention_mask=torch.ones_like(ids), do_sample=True, temperature=1.0, top_k=0, top_p=1.0, pad_token_id=0)
    best = None
    with torch.inference_mode():
        model.generate(ids, min_new_tokens=4, max_new_tokens=4, **options)
        for _ in range(request["steps"]):
            first = FirstToken()
            start = time.monotonic()
            out = model.generate(ids, min_new_tokens=new, max_new_tokens=new, stopping_criteria=transformers.StoppingCriteriaList([first]), **options)
            out[0, -1].item()
            end = time.monotonic()
            assert out.shape[1] == request["prompt_tokens"] + new, out.shape
            if best is None or end - first.time < best[1]:
                best = (first.time - start, end - first.time)
    peer.print_result(prompt_seconds=best[0], seconds=best[1], rate=len(rows) * new / best[1], version=transformers.__version__)


main()
