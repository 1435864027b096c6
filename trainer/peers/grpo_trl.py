"""Steps of TRL's GRPOTrainer, for `kgtrain bench grpo`: the same prompts, answers of the same length, a reward that costs nothing.

One argument, the request as JSON; prints the result as a line of JSON. In bf16 the weights themselves are bf16, which is PyTorch's fastest way (kgtrain
keeps them in fp32).
"""
import tempfile

import peer
import transformers
import trl
from datasets import Dataset
from step_clock import StepClock


def main():
    request = peer.read_request()
    model = peer.load_model(request)
    tokenizer = transformers.AutoTokenizer.from_pretrained(request["model"])
    texts = [tokenizer.decode([(t * 7919 + p * 104729) % model.config.vocab_size for t in range(request["prompt_tokens"])])
             for p in range(request["prompts"])]
    answers, new = request["prompts"] * request["completions"], request["new_tokens"]
    clock = StepClock()
    with tempfile.TemporaryDirectory() as folder:
        config = trl.GRPOConfig(output_dir=folder, per_device_train_batch_size=answers, num_generations=request["completions"],
                                max_completion_length=new, max_steps=request["steps"] + 1, use_cpu=request["device"] == "cpu", logging_steps=1,
                                save_strategy="no", report_to=[], disable_tqdm=True, temperature=1.0, beta=0.0, learning_rate=1e-6,
                                bf16=request["dtype"] == "bfloat16", gradient_checkpointing=False, generation_kwargs={"min_new_tokens": new})
        trainer = trl.GRPOTrainer(model=model, args=config, train_dataset=Dataset.from_list([{"prompt": text} for text in texts]),
                                  processing_class=tokenizer, callbacks=[clock],
                                  reward_funcs=lambda completions, **_: [float(hash(c) % 7) for c in completions])
        trainer.train()
    best = min(after - before for before, after in zip(clock.times, clock.times[1:]))
    peer.print_result(seconds=best, rate=answers / best, version=trl.__version__)


main()
