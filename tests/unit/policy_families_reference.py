"""Writes policy_families/<family>/: small random models in the layout of Hugging Face (config.json, model.safetensors, tokenizer
files) and what transformers and tokenizers make of them: logits, gradients, greedy text, token ids. Of two, a GGUF file with the same
weights as well, and quantised blocks with what the gguf package reads in them.

  python tests/unit/policy_families_reference.py        (torch, transformers, tokenizers, safetensors, gguf; CPU)
"""

import json
import pathlib
import shutil

import gguf
import numpy
import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from transformers import Qwen3Config, Qwen3ForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM

HERE = pathlib.Path(__file__).parent / "policy_families"
COMMON = dict(vocab_size=300, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
              max_position_embeddings=512, attn_implementation="eager")
WIDE_HEADS = dict(num_attention_heads=2, num_key_value_heads=1)  # of 16, where the family has no head_dim of its own
MODERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
FAMILIES = {
    "llama3": (LlamaForCausalLM, LlamaConfig(
        **COMMON, head_dim=16, rms_norm_eps=1e-5, tie_word_embeddings=False,
        rope_parameters={"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                         "original_max_position_embeddings": 64})),
    "llama_linear": (LlamaForCausalLM, LlamaConfig(
        **COMMON, head_dim=16, rms_norm_eps=1e-5, tie_word_embeddings=True,
        rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0})),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config(**(COMMON | WIDE_HEADS), rms_norm_eps=1e-6, tie_word_embeddings=True,
                                            rope_parameters={"rope_type": "default", "rope_theta": 1000000.0})),
    "qwen2_yarn": (Qwen2ForCausalLM, Qwen2Config(
        **(COMMON | WIDE_HEADS), rms_norm_eps=1e-6, tie_word_embeddings=False,
        rope_parameters={"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 64})),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config(**COMMON, head_dim=16, rms_norm_eps=1e-6, tie_word_embeddings=True,
                                            rope_parameters={"rope_type": "default", "rope_theta": 1000000.0})),
    "qwen3_moe": (Qwen3MoeForCausalLM, Qwen3MoeConfig(
        **COMMON, head_dim=16, rms_norm_eps=1e-6, tie_word_embeddings=False, num_experts=6, num_experts_per_tok=2,
        moe_intermediate_size=24, norm_topk_prob=True, rope_parameters={"rope_type": "default", "rope_theta": 1000000.0})),
}
TEXTS = ["Hello world, it's 2026 and I'LL write x += 12345678;", "  two  spaces\n\n\tand\r\n tabs \n", "naïve Straße e\u0301 ångström \u212b",
         "日本語とカタカナ 算子开发 １２３ ½", "a<|im_start|>user\nhi<|im_end|>\n", "'S 're WE'VE don't ſ's", "::std::vector<half>{};//  x\n\n\n  y",
         "\u00a0\u2003 x \u180e", "", " ", "\n", "👩‍👩‍👧‍👦 𝒳 …!!\n\n?"]


def make_tokenizer(family):
    llama = family.startswith("llama")
    tokenizer = Tokenizer(models.BPE(ignore_merges=llama))
    if not llama:
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(MODERN.format(r"\p{N}{1,3}" if llama else r"\p{N}")), "isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=298, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=[])
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in ("<|im_start|>", "<|im_end|>")])
    if llama:
        tokenizer.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(single="<|im_start|> $A", special_tokens=[("<|im_start|>", tokenizer.token_to_id("<|im_start|>"))])])
    else:
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def make(family):
    kind, config = FAMILIES[family]
    folder = HERE / family
    shutil.rmtree(folder, ignore_errors=True)
    torch.manual_seed(11)
    config.bos_token_id = config.pad_token_id = None
    config.eos_token_id = 299
    model = kind(config).float().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.25 + (1.0 if "norm" in name else 0.0))
    model.save_pretrained(folder, max_shard_size="60KB" if family == "qwen2_yarn" else "10MB")
    (folder / "generation_config.json").unlink(missing_ok=True)
    tokenizer = make_tokenizer(family)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>").save_pretrained(folder)
    # Two documents, one longer than what the scaled positions were trained in.
    lengths, logits, loss, begin = [90, 30], [], 0.0, 0
    ids = torch.randint(0, 300, (sum(lengths),))
    weights = torch.rand(sum(lengths))
    for length in lengths:
        part = ids[begin:begin + length]
        out = model(part[None]).logits[0]
        log_prob = torch.log_softmax(out, -1).gather(1, torch.roll(part, -1)[:, None])[:, 0]
        loss = loss - (log_prob * weights[begin:begin + length]).sum()
        logits.append(out)
        begin += length
    loss.backward()
    gradients = {}
    for name, parameter in model.named_parameters():
        if "experts.gate_up_proj" in name:  # transformers keeps experts together
            for e in range(config.num_experts):
                gate, up = parameter.grad[e].chunk(2)
                gradients[name.replace("gate_up_proj", f"{e}.gate_proj.weight")] = gate
                gradients[name.replace("gate_up_proj", f"{e}.up_proj.weight")] = up
        elif "experts.down_proj" in name:
            for e in range(config.num_experts):
                gradients[name.replace("down_proj", f"{e}.down_proj.weight")] = parameter.grad[e]
        else:
            gradients[name] = parameter.grad
    greedy, margin = ids[:20].tolist(), []
    with torch.no_grad():
        for _ in range(100):
            best = model(torch.tensor([greedy])).logits[0, -1].topk(2)
            margin.append(float(best.values[0] - best.values[1]))
            greedy.append(int(best.indices[0]))
    tensors = {"gradient." + name: gradient for name, gradient in gradients.items()}
    tensors |= {"ids": ids.float(), "weights": weights, "logits": torch.cat(logits)[::10].detach(), "loss": loss.detach()[None],
                "greedy": torch.tensor(greedy).float(), "margin": torch.tensor(margin)}
    save_file({k: v.contiguous() for k, v in tensors.items()}, folder / "reference.safetensors")
    texts = [{"text": t, "ids": tokenizer.encode(t, add_special_tokens=False).ids} for t in TEXTS]
    (folder / "tokens.json").write_text(json.dumps(texts, indent=0) + "\n")
    return model, config


def write_gguf(family, model, config):
    arch = {"qwen2": "qwen2", "qwen3_moe": "qwen3moe"}[family]
    writer = gguf.GGUFWriter(HERE / f"{family}.gguf", arch)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    if arch == "qwen3moe":
        writer.add_key_length(config.head_dim)
        writer.add_expert_count(config.num_experts)
        writer.add_expert_used_count(config.num_experts_per_tok)
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    document = json.loads((HERE / family / "tokenizer.json").read_text())
    ids = document["model"]["vocab"] | {t["content"]: t["id"] for t in document["added_tokens"]}
    tokens = sorted(ids, key=ids.get)
    special = {t["id"] for t in document["added_tokens"]}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([3 if i in special else 1 for i in range(len(tokens))])
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in document["model"]["merges"]])
    writer.add_eos_token_id(config.eos_token_id)
    names = {"embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output", "input_layernorm": "attn_norm",
             "q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output", "q_norm": "attn_q_norm",
             "k_norm": "attn_k_norm", "post_attention_layernorm": "ffn_norm", "gate_proj": "ffn_gate", "up_proj": "ffn_up",
             "down_proj": "ffn_down", "mlp.gate": "ffn_gate_inp"}
    for name, parameter in model.named_parameters():
        value = parameter.detach().numpy()
        prefix = f"blk.{name.split('.')[2]}." if ".layers." in name else ""
        if "experts.gate_up_proj" in name:
            half = value.shape[1] // 2
            writer.add_tensor(prefix + "ffn_gate_exps.weight", numpy.ascontiguousarray(value[:, :half]))
            writer.add_tensor(prefix + "ffn_up_exps.weight", numpy.ascontiguousarray(value[:, half:]))
            continue
        if "experts.down_proj" in name:
            writer.add_tensor(prefix + "ffn_down_exps.weight", value)
            continue
        path, kind = name.rsplit(".", 1)
        target = next(short for long, short in names.items() if path.endswith(long))
        if not (config.tie_word_embeddings and target == "output"):
            writer.add_tensor(f"{prefix}{target}.{kind}", value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_quants():
    """Random blocks of each quantised type with sane scales, and their values by the gguf package."""
    rng = numpy.random.default_rng(5)
    writer = gguf.GGUFWriter(HERE / "quants.gguf", "llama")
    halves = {"Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q4_K": [0, 2], "Q6_K": [208]}  # where a block has fp16 numbers
    for name, places in halves.items():
        kind = gguf.GGMLQuantizationType[name]
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        rows, blocks = 3, 2048 // elements // 2
        data = rng.integers(0, 256, (rows, blocks, size), dtype=numpy.uint8)
        for place in places:
            scales = rng.normal(0, 0.02, (rows, blocks)).astype(numpy.float16)
            data[:, :, place:place + 2] = scales.view(numpy.uint8).reshape(rows, blocks, 2)
        data = data.reshape(rows, blocks * size)
        writer.add_tensor(name, data, raw_dtype=kind)
        writer.add_tensor(name + ".expected", gguf.quants.dequantize(data, kind).astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


for name in FAMILIES:
    made = make(name)
    if name in ("qwen2", "qwen3_moe"):
        write_gguf(name, *made)
write_quants()
