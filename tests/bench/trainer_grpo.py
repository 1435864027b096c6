"""Seconds of a GRPO step: kgtrain and TRL's GRPOTrainer in turn, on the same model and shapes.

  trainer_grpo.py BENCH_BINARY MODEL_FOLDER [--prompts 2] [--prompt-tokens 256] [--completions 8] [--new-tokens 128] [--threads 2]

BENCH_BINARY is trainer_grpo_bench; MODEL_FOLDER a Hugging Face directory (kgtrain export). Run with a Python that has torch,
transformers, trl and datasets; without trl the peer is its two parts by hand: transformers' generate, then forward and backward over
prompts and completions, AdamW.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def peer(arguments):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    torch.set_num_threads(arguments.threads)
    model = AutoModelForCausalLM.from_pretrained(arguments.model, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    prompts = [[(t * 7919 + p * 104729) % model.config.vocab_size for t in range(arguments.prompt_tokens)]
               for p in range(arguments.prompts)]
    total, new = arguments.prompts * arguments.completions, arguments.new_tokens
    try:
        import trl
        from datasets import Dataset
    except ImportError:
        trl = None
    if trl is None:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, fused=True)
        ids = torch.tensor([p for p in prompts for _ in range(arguments.completions)])
        begin = time.monotonic()
        with torch.inference_mode():
            out = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=True, temperature=1.0, top_k=0, top_p=1.0,
                                 min_new_tokens=new, max_new_tokens=new, pad_token_id=0)
        sampled = time.monotonic()
        for chunk in out.clone().split(4):  # what fits in the memory of this machine
            logits = model(chunk[:, :-1], logits_to_keep=new).logits
            log_prob = torch.log_softmax(logits, -1).gather(2, chunk[:, -new:, None])
            (-(torch.exp(log_prob - log_prob.detach())).sum() / (total * new)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        end = time.monotonic()
        print(json.dumps({"peer": "transformers generate + AdamW step", "sample_seconds": sampled - begin, "train_seconds": end - sampled,
                          "step_seconds": end - begin}))
        return
    with tempfile.TemporaryDirectory() as folder:
        config = trl.GRPOConfig(output_dir=folder, per_device_train_batch_size=total, num_generations=arguments.completions,
                                max_completion_length=new, max_steps=2, use_cpu=True, logging_steps=1, save_strategy="no", report_to=[],
                                temperature=1.0, beta=0.0, learning_rate=1e-6, bf16=False, gradient_checkpointing=False,
                                generation_kwargs={"min_new_tokens": new})
        texts = Dataset.from_list([{"prompt": tokenizer.decode(p)} for p in prompts])
        trainer = trl.GRPOTrainer(model=model, args=config, train_dataset=texts, processing_class=tokenizer,
                                  reward_funcs=lambda completions, **_: [float(hash(c) % 7) for c in completions])
        ends = []
        from transformers import TrainerCallback

        class Clock(TrainerCallback):
            def on_step_end(self, *_, **__):
                ends.append(time.monotonic())

        trainer.add_callback(Clock())
        begin = time.monotonic()
        trainer.train()
        print(json.dumps({"peer": "TRL " + trl.__version__, "step_seconds": min(ends[0] - begin, ends[1] - ends[0])}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("model")
    for name, value in (("prompts", 2), ("prompt-tokens", 256), ("completions", 8), ("new-tokens", 128), ("threads", 2), ("rounds", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--dtype", default="bfloat16", help="of kgtrain's weights in sampling")
    parser.add_argument("--peer", action="store_true", help="run the peer's side only")
    arguments = parser.parse_args()
    if arguments.peer:
        return peer(arguments)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=pathlib.Path(__file__).parent).stdout.strip()
    print(f"commit {commit}, {arguments.threads} threads, {arguments.prompts} prompts of {arguments.prompt_tokens} tokens x "
          f"{arguments.completions} completions of {arguments.new_tokens}, load {os.getloadavg()[0]:.1f}")
    shape = [arguments.prompts, arguments.prompt_tokens, arguments.completions, arguments.new_tokens, 2, arguments.threads]
    ours = [arguments.bench, arguments.model, *map(str, shape), arguments.dtype]
    for _ in range(arguments.rounds):
        results = []
        for command in (ours, [sys.executable, *sys.argv, "--peer"]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(done.stderr[-2000:])
            results.append(json.loads(done.stdout.strip().splitlines()[-1]))
        best = min(results[0]["steps"], key=lambda s: s["step_seconds"])
        peer_result = results[1]
        print(f"kgtrain {best['step_seconds']:7.2f} s  (sampling {best['sample_seconds']:.2f}, training {best['train_seconds']:.2f}, "
              f"packing {best['pack_seconds']:.2f}; {best['computed_tokens']} of {best['tokens']} tokens computed)")
        print(f"{peer_result['peer']} {peer_result['step_seconds']:7.2f} s  "
              + ", ".join(f"{k} {v:.2f}" for k, v in peer_result.items() if k.endswith("_seconds") and k != "step_seconds"))
        print(f"ratio {peer_result['step_seconds'] / best['step_seconds']:.2f}", flush=True)


main()
