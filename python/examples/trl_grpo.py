"""TRL's GRPOTrainer with kgtrain's judge as its reward.

    kgtrain serve --data ascend_cot.h5 &
    python trl_grpo.py --model HuggingFaceTB/SmolLM2-135M-Instruct --steps 100
"""

import argparse

import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

import kgtrain
import kgtrain.trl


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, help="a Hugging Face directory or name")
    parser.add_argument("--service", help="address of kgtrain serve")
    parser.add_argument("--language", default="dsl", choices=["dsl", "ascendc"])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--generations", type=int, default=8)
    parser.add_argument("--tasks", type=int)
    parser.add_argument("--out", default="grpo")
    options = parser.parse_args()

    client = kgtrain.Client(options.service)
    rows = kgtrain.trl.dataset_rows(client, language=options.language, limit=options.tasks)
    trainer = GRPOTrainer(
        model=options.model,
        reward_funcs=kgtrain.trl.reward_function(client, language=options.language),
        train_dataset=Dataset.from_list(rows),
        args=GRPOConfig(output_dir=options.out, max_steps=options.steps, per_device_train_batch_size=options.generations,
                        num_generations=options.generations, max_completion_length=options.tokens, learning_rate=1e-6,
                        logging_steps=1, report_to=[], save_strategy="no", use_cpu=not torch.cuda.is_available(),
                        bf16=torch.cuda.is_available()),
    )
    trainer.train()
    for entry in trainer.state.log_history:
        if "reward" in entry:
            print(f"step {entry['step']}: reward {entry['reward']:.3f}, loss {entry['loss']:.4f}")
    return trainer.state.log_history


if __name__ == "__main__":
    main()
