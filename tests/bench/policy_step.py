"""Tokens a second of one training step (forward, loss on all positions, backward), kgtrain and Hugging Face in turn.

  policy_step.py BENCH_BINARY MODEL_FOLDER [--documents 2] [--length 1024] [--threads 2] [--rounds 2] [--dtype float32]

BENCH_BINARY is policy_step_bench; MODEL_FOLDER a Hugging Face directory (kgtrain export). Processor seconds stand beside wall
time, since the machine may be shared. Run with a Python that has torch and transformers.
"""

import argparse
import json
import pathlib
import platform
import resource
import subprocess
import sys
import time


def peer_step(arguments):
    import torch
    from transformers import LlamaForCausalLM
    torch.set_num_threads(arguments.threads)
    model = LlamaForCausalLM.from_pretrained(arguments.model, dtype=getattr(torch, arguments.dtype))
    ids = torch.randint(0, model.config.vocab_size, (arguments.documents, arguments.length))
    wall, cpu = [], []
    for _ in range(3):
        start, cpu_start = time.monotonic(), time.process_time()
        model(ids, labels=ids).loss.backward()
        model.zero_grad()
        wall.append(time.monotonic() - start)
        cpu.append(time.process_time() - cpu_start)
    print(json.dumps({"tokens_per_second": ids.numel() / min(wall), "seconds": wall, "cpu_seconds": cpu,
                      "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("model")
    for name, value in (("documents", 2), ("length", 1024), ("threads", 2), ("rounds", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--dtype", default="float32", choices=("float32", "bfloat16"))
    parser.add_argument("--peer", action="store_true", help="run the peer's side only")
    arguments = parser.parse_args()
    if arguments.peer:
        return peer_step(arguments)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=pathlib.Path(__file__).parent).stdout.strip()
    print(f"commit {commit}, {platform.processor() or platform.machine()}, {arguments.threads} threads, "
          f"{arguments.documents} x {arguments.length} tokens, {arguments.dtype}")
    sizes = [str(arguments.documents), str(arguments.length), "3", str(arguments.threads), arguments.dtype]
    commands = {"kgtrain": [arguments.bench, arguments.model, *sizes], "Hugging Face": [sys.executable, *sys.argv, "--peer"]}
    tokens = arguments.documents * arguments.length
    print(f"{'':14}{'tokens/s':>10}{'tokens/CPU-s':>14}{'peak MiB':>10}")
    for _ in range(arguments.rounds):
        for name, command in commands.items():
            result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1])
            print(f"{name:14}{result['tokens_per_second']:10.1f}{tokens / min(result['cpu_seconds']):14.1f}{result['peak_mib']:10}"
                  + (f"   {100 * result['of_matmul_peak']:.0f} % of {result['matmul_gigaflops']:.0f} GFLOP/s" if "of_matmul_peak" in result else ""),
                  flush=True)


main()
