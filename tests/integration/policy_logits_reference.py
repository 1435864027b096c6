"""Logits that transformers computes in fp32, as safetensors {"ids", "logits", "logits_bfloat16"}.

  policy_logits_reference.py MODEL.gguf EXPORTED_FLOAT32 EXPORTED_BFLOAT16 OUT.safetensors

The reference model is put together from the GGUF file with the `gguf` package; what kgtrain exported must load with transformers and
give equal logits.
"""

import sys

import torch
from gguf import GGUFReader, dequantize
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

NAMES = {"attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
         "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
         "ffn_down": "mlp.down_proj"}


def reference_model(path):
    reader = GGUFReader(path)
    number = lambda key: reader.fields["llama." + key].contents()
    heads, kv_heads = number("attention.head_count"), number("attention.head_count_kv")
    config = LlamaConfig(vocab_size=number("vocab_size"), hidden_size=number("embedding_length"), num_hidden_layers=number("block_count"),
                         intermediate_size=number("feed_forward_length"), num_attention_heads=heads, num_key_value_heads=kv_heads,
                         max_position_embeddings=number("context_length"), rms_norm_eps=1e-5, tie_word_embeddings=True,
                         rope_parameters={"rope_type": "default", "rope_theta": number("rope.freq_base")})
    state = {}
    for tensor in reader.tensors:
        weight = torch.tensor(dequantize(tensor.data, tensor.tensor_type))
        part = tensor.name.split(".")
        if part[0] == "token_embd":
            name = "model.embed_tokens.weight"
        elif part[0] == "output_norm":
            name = "model.norm.weight"
        else:
            name = f"model.layers.{part[1]}.{NAMES[part[2]]}.weight"
            if part[2] in ("attn_q", "attn_k"):
                count = heads if part[2] == "attn_q" else kv_heads
                weight = weight.reshape(count, weight.shape[0] // count // 2, 2, -1).swapaxes(1, 2).reshape(weight.shape)
        state[name] = weight
    model = LlamaForCausalLM(config).float()
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert missing == ["lm_head.weight"] and not unexpected, (missing, unexpected)
    model.tie_weights()
    return model.eval()


@torch.no_grad()
def main():
    ids = torch.randint(17, 49152, (1, 700), generator=torch.Generator().manual_seed(3))
    ids[0, :300] = torch.arange(100, 400)
    model = reference_model(sys.argv[1])
    logits = model(ids).logits[0]
    exported = AutoModelForCausalLM.from_pretrained(sys.argv[2], dtype=torch.float32)
    for (name, a), (_, b) in zip(sorted(model.state_dict().items()), sorted(exported.state_dict().items())):
        assert torch.equal(a, b), name
    assert torch.equal(exported(ids).logits[0], logits), "the exported model gives other logits"
    narrow = AutoModelForCausalLM.from_pretrained(sys.argv[3], dtype="auto")
    assert narrow.dtype == torch.bfloat16 and narrow.config.eos_token_id == 2
    save_file({"ids": ids[0].float(), "logits": logits.contiguous(),
               "logits_bfloat16": narrow.float()(ids).logits[0].contiguous()}, sys.argv[4])


if __name__ == "__main__":
    main()
