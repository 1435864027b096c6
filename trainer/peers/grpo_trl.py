"""Steps of TRL's GRPOTrainer, for `kgtrain bench grpo`: the same prompts, answers of the same length, a reward that costs nothing.

One argument, the request as JSON; prints the result as a line of JSON. In bf16 the weights themselves are bf16, which is PyTorch's fastest way (kgtrain
keeps them in fp32).
"""
import json
import resource
import sys
import tempfile
import time

import torch
import transformers
import trl
from datasets import Dataset


class Clock(transformers.TrainerCallback):
    def __init__(self):
        self.times = [time.monotonic()]

    def on_step_end(self, *_, **__):
        self.times.append(time.monotonic())


def main():
    request = json.loads(sys.argv[1])
    if request["threads"]:
        torch.set_num_threads(request["threads"])
    model = transformers.AutoModelForCausalLM.from_pretrained(request["model"], dtype=getattr(torch, request["dtype"]))
    tokenizer = transformers.AutoTokenizer.from_pretrained(request["model"])
    texts = [tokenizer.decode([(t * 7919 + p * 104729) % model.config.vocab_size for t in range(request["prompt_tokens"])])
             for p in range(request["prompts"])]
    answers, new = request["prompts"] * request["completions"], request["new_tokens"]
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        config = trl.GRPOConfig(output_dir=folder, per_device_train_batch_size=answers, num_generations=request["completions"],
                                max_completion_length=new, max_steps=request["steps"] + 1, use_cpu=request["device"] == "cpu", logging_steps=1,
                                save_strategy="no", report_to=[], disable_tqdm=True, temperature=1.0, beta=0.0, learning_rate=1e-6,
                                bf16=request["dtype"] == "bfloat16", gradient_checkpointing=False, generation_kwargs={"min_new_tokens": new})
        trainer = trl.GRPOTrainer(model=model, args=config, train_dataset=Dataset.from_list([{"prompt": text} for text in texts]),
                                  processing_class=tokenizer, callbacks=[clock],
                                  reward_funcs=lambda completions, **_: [float(hash(c) % 7) for c in completions])
        trainer.train()
    best = min(after - before for before, after in zip(clock.times[1:], clock.times[2:]))
    print(json.dumps({"seconds": best, "rate": answers / best, "version": trl.__version__,
                      "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


main()
