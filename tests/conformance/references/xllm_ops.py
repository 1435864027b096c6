"""Operators of xllm-ops: the beams to keep, key and value caches."""

import numpy as np

from .harness import Bfloat16, OperatorCase, Output, rounded_to_bfloat16, uniform

REPOSITORY = "xllm-ops"


def beam_search(random, requests, width):
    """Of width x width continuations of each request, the `width` likeliest: token, the beam it continues, log-probability."""
    beams = requests * width
    before = uniform(random, -3, 0, (beams, 1))
    tokens = random.integers(0, 50000, (beams, width)).astype(np.int32)
    ranked = -np.sort(random.permutation(beams * width).astype(np.float32).reshape(beams, width) / np.float32(beams * width) * 4, 1)
    scores = (before + ranked).reshape(requests, width * width)
    best = np.argsort(-scores, 1, kind="stable")[:, :width]
    beam = (best // width + np.arange(requests)[:, None] * width).astype(np.int32)
    return OperatorCase(f"{requests}x{width}", "xllm_ops/beam_search", "BeamSearch",
                        dict(log_probs=before, top_tokens=tokens, top_probs=ranked),
                        dict(out_token_ids=np.take_along_axis(tokens.reshape(requests, -1), best, 1).reshape(-1, 1),
                             out_token_index=beam.reshape(-1, 1),
                             out_log_probs=np.take_along_axis(scores, best, 1).reshape(-1, 1)), bound=1e-6)


def cache_unshared(random, label, stored):
    """The keys and values of one decoding step go to that step of the blocks that the table names."""
    blocks, beams, heads, steps, size = 5, 7, 4, 6, 64
    table, step = np.array([3, 0, 4], np.int32), 2
    inputs, outputs = dict(), dict()
    for name in ("key", "value"):
        current = rounded_to_bfloat16(uniform(random, -1, 1, (3, beams, heads, size)))
        block = np.zeros((blocks, beams, heads, steps, size), np.float32)
        wanted = block.copy()
        wanted[table, :, :, step - 1] = current
        inputs[f"x_{name}_block"], inputs[f"curr_{name}"] = stored(block), stored(current)
        outputs[f"select_{name}_block"] = Output(stored(wanted), fill=0)
    ordered = {name: inputs[name] for name in ("x_key_block", "x_value_block", "curr_key", "curr_value")}
    return OperatorCase(label, "xllm_ops/cache_unshared_kv", "CacheUnsharedKv",
                        dict(ordered, block_table=table, decode_step=np.array([step], np.int32)), outputs, bound=0)


def cases(random):
    beams = [beam_search(random, requests, width) for requests, width in ((1, 32), (3, 128), (2, 16), (30, 8))]
    return [*beams, cache_unshared(random, "half", lambda values: values.astype(np.float16)), cache_unshared(random, "bfloat16", Bfloat16)]
