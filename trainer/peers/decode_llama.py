"""Generation by llama.cpp (llama-cpp-python), for `kgtrain bench decode`.

One argument, the request as JSON; prints the result as a line of JSON. The model is written as a GGUF file of its type at the first call. As llama.cpp's own
batched bench does, no token is drawn: fixed tokens are fed, which leaves sampling out of its time.
"""
import ctypes
import json
import os
import time
from pathlib import Path

import gguf
import llama_cpp
import peer
import torch
from safetensors import safe_open


def interleave_halves(weight, heads):
    """Rows of each head from (first half, second half), which Hugging Face rotates, to the pairs that llama.cpp rotates."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def write_gguf(folder, path, kind):
    config = json.loads((folder / "config.json").read_text())
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"] if "rope_theta" in config else config["rope_parameters"]["rope_theta"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("none")
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config["num_hidden_layers"])
    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(file, "pt") as tensors:
            for name in tensors.keys():
                weight = tensors.get_tensor(name).to(torch.float32).numpy()
                if name.endswith("q_proj.weight"):
                    weight = interleave_halves(weight, heads)
                if name.endswith("k_proj.weight"):
                    weight = interleave_halves(weight, kv_heads)
                to = names.get_name(name, try_suffixes=(".weight",))
                if weight.ndim == 1:
                    writer.add_tensor(to, weight)
                    continue
                writer.add_tensor(to, gguf.quants.quantize(weight, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Batch:
    """A llama_batch that is filled anew for each step."""

    def __init__(self, size, sequences):
        self.batch, self.sequences = llama_cpp.llama_batch_init(size, 0, sequences), sequences
        self.batch.n_tokens = 0

    def add(self, token, position, sequences, wants_logits):
        i = self.batch.n_tokens
        self.batch.token[i], self.batch.pos[i], self.batch.logits[i] = token, position, wants_logits
        self.batch.n_seq_id[i] = len(sequences)
        for j, sequence in enumerate(sequences):
            self.batch.seq_id[i][j] = sequence
        self.batch.n_tokens += 1

    def run(self, context):
        if llama_cpp.llama_decode(context, self.batch) != 0:
            raise RuntimeError("llama_decode failed")
        self.batch.n_tokens = 0


def main():
    request = peer.read_request()
    folder, group, prompt, new = Path(request["model"]), request["completions"], request["prompt_tokens"], request["new_tokens"]
    batch, threads = request["prompts"] * group, request["threads"] or os.cpu_count()
    kind = gguf.GGMLQuantizationType["BF16" if request["dtype"] == "bfloat16" else "F32"]
    file = Path(request["folder"]) / f"llama-{kind.name}.gguf"
    if not file.exists():
        write_gguf(folder, file, kind)
    silent = llama_cpp.llama_log_callback(lambda level, text, data: None)
    llama_cpp.llama_log_set(silent, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    options = llama_cpp.llama_model_default_params()
    options.use_mmap = False
    model = llama_cpp.llama_model_load_from_file(str(file).encode(), options)
    settings = llama_cpp.llama_context_default_params()
    settings.n_ctx = batch * (prompt + new)
    settings.n_batch = settings.n_ubatch = 512
    settings.n_seq_max = batch
    settings.n_threads = settings.n_threads_batch = threads
    settings.kv_unified = False  # each sequence attends to its own cells only, as in llama.cpp's batched bench
    context = llama_cpp.llama_init_from_model(model, settings)
    vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))
    rows = Batch(512, 1)

    def prefill():  # of each group once; the others get a copy of its keys and values
        for first in range(0, batch, group):
            for t in range(prompt):
                rows.add((t * 7919 + first * 104729) % vocabulary, t, [first], t == prompt - 1)
                if rows.batch.n_tokens == 512 or t == prompt - 1:
                    rows.run(context)
            for other in range(first + 1, first + group):
                llama_cpp.llama_memory_seq_cp(llama_cpp.llama_get_memory(context), first, other, -1, -1)
        llama_cpp.llama_synchronize(context)

    def decode(steps):
        for step in range(steps):
            for i in range(batch):
                rows.add((step * 31 + i) % vocabulary, prompt + step, [i], True)
            rows.run(context)
            llama_cpp.llama_get_logits(context)
        llama_cpp.llama_synchronize(context)

    prefill()
    decode(2)  # warm-up
    best = None
    for _ in range(request["steps"]):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
        start = time.monotonic()
        prefill()
        middle = time.monotonic()
        decode(new)
        end = time.monotonic()
        if best is None or end - middle < best[1]:
            best = (middle - start, end - middle)
    peer.print_result(prompt_seconds=best[0], seconds=best[1], rate=batch * new / best[1], version=llama_cpp.__version__)


main()
