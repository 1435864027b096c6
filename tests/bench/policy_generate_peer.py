"""One round of Hugging Face generate for policy_generate_bench.cpp: MODEL RESULT BATCH PROMPT NEW THREADS."""
import json
import sys
import time

import torch
from transformers import AutoModelForCausalLM, StoppingCriteria, StoppingCriteriaList


class FirstToken(StoppingCriteria):
    """Never stops; notes when the first token is there, which is when the prompt has been computed."""

    def __init__(self):
        self.time = None

    def __call__(self, ids, scores, **kwargs):
        self.time = self.time or time.monotonic()
        return torch.zeros(ids.shape[0], dtype=torch.bool)


def main():
    model_path, result, batch, prompt, new, threads = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:7])
    torch.set_num_threads(threads)
    model = AutoModelForCausalLM.from_pretrained(model_path, dtype=torch.float32)
    rows = [[(t * 7919 + i * 104729) % model.config.vocab_size for t in range(prompt)] for i in range(batch)]
    ids = torch.tensor(rows)
    options = dict(attention_mask=torch.ones_like(ids), do_sample=True, temperature=1.0, top_k=0, top_p=1.0, pad_token_id=0)
    with torch.inference_mode():
        model.generate(ids[:, :8], attention_mask=ids[:, :8] * 0 + 1, max_new_tokens=4, pad_token_id=0)  # warm-up
        first = FirstToken()
        start, cpu = time.monotonic(), time.process_time()
        out = model.generate(ids, min_new_tokens=new, max_new_tokens=new, stopping_criteria=StoppingCriteriaList([first]), **options)
        end = time.monotonic()
    assert out.shape[1] == prompt + new, out.shape
    json.dump({"prompt_seconds": first.time - start, "decode_seconds": end - first.time, "cpu_seconds": time.process_time() - cpu},
              open(result, "w"))


main()
