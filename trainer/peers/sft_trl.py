"""Steps of TRL's SFTTrainer with packing, for `kgtrain bench sft --data`: the same documents, loss on the same tokens.

One argument, the request as JSON; prints the result as a line of JSON. In bf16 the weights themselves are bf16, which is PyTorch's fastest way (kgtrain
keeps them in fp32).
"""
import tempfile

import peer
import transformers
import trl
from datasets import load_dataset
from step_clock import StepClock


def main():
    request = peer.read_request()
    model = peer.load_model(request)
    tokenizer = transformers.AutoTokenizer.from_pretrained(request["model"])
    documents = load_dataset("json", data_files=request["documents_file"], split="train")
    clock = StepClock()
    with tempfile.TemporaryDirectory() as folder:
        config = trl.SFTConfig(output_dir=folder, max_length=request["length"], packing=True, completion_only_loss=True,
                               per_device_train_batch_size=max(1, request["batch_tokens"] // request["length"]), max_steps=request["steps"] + 1,
                               use_cpu=request["device"] == "cpu", bf16=request["dtype"] == "bfloat16", gradient_checkpointing=False,
                               learning_rate=1e-5, save_strategy="no", report_to=[], disable_tqdm=True, logging_strategy="no")
        trainer = trl.SFTTrainer(model=model, args=config, train_dataset=documents, processing_class=tokenizer, callbacks=[clock])
        of_a_row = len(documents) / len(trainer.train_dataset)
        trainer.train()
    seconds = clock.times[-1] - clock.times[0]
    samples = of_a_row * config.per_device_train_batch_size * request["steps"]
    peer.print_result(seconds=seconds, rate=samples / seconds, version=trl.__version__)


main()
