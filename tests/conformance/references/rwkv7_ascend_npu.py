"""The element-wise, norm and state kernels of rwkv7-ascend-npu, each launched as its direct entry point."""

import numpy as np

from .harness import Case, Output, uniform

REPOSITORY = "rwkv7-ascend-npu"
FOLDER = "vllm-rwkv-ascend/perf/ascendc/direct/kernel"
EPSILON, DECAY = 1e-5, .606531  # the decay is exp(-DECAY * sigmoid(x))
HEADS, HEAD_SIZE = 4, 64


def halves(random, *shape):
    return uniform(random, -1, 1, shape, np.float16)


def wide(values):
    return values.astype(np.float64)


def narrow(values):
    return values.astype(np.float16)


def sigmoid(values):
    return 1 / (1 + np.exp(-wide(values)))


def mixed(first, second, share):
    return wide(first) + (wide(second) - wide(first)) * wide(share)


def layer_norm(values, weight, bias):
    values = wide(values)
    return (values - values.mean(-1, keepdims=True)) / np.sqrt(values.var(-1, keepdims=True) + EPSILON) * weight + bias


def case(name, label, inputs, wanted, numbers, **more):
    return Case(label, f"{FOLDER}/rwkv_{name}.cpp", f"rwkv_{name}_direct", inputs, wanted, numbers, **more)


def element_wise(random, size):
    """Keys with their gates, the mixes of a token with the one before it, and the low-rank gates."""
    label = f"{size}"
    key, gate, scale, share = (halves(random, size) for _ in range(4))
    yield case("k_prep", label, [key, gate, scale, share],
               [narrow(wide(key) * wide(scale)), narrow(wide(key) * (1 + (wide(gate) - 1) * wide(share)))], [size], blocks=2, bound=3e-3)
    token, before = halves(random, size), halves(random, size)
    yield case("shift_mix1", label, [token, before, share], [narrow(mixed(token, before, share))], [size], bound=3e-3)
    shares = [halves(random, size) for _ in range(6)]
    yield case("shift_mix6", label, [token, before, *shares], [narrow(mixed(token, before, one)) for one in shares + [shares[2]]],
               [size], blocks=7, bound=3e-3)
    low_rank, bias = halves(random, 4, size), halves(random, 4, size)
    decay, first, second, last = wide(low_rank) + wide(bias)
    yield case("lowrank_post", label, [low_rank, bias], [narrow(np.stack([np.exp(-DECAY * sigmoid(decay)), first, second, sigmoid(last)]))],
               [size], blocks=4, bound=4e-3)


def norms(random, size):
    """Layer norm of a sum, and a row of an embedding."""
    token, added = halves(random, size), halves(random, size)
    weight, bias = uniform(random, .5, 1.5, size), uniform(random, -1, 1, size)
    yield case("add_layer_norm", f"{size}", [token, added, weight, bias], [narrow(layer_norm(narrow(token + added), weight, bias))],
               [EPSILON, 1 / size, size], bound=4e-3)
    table, tokens = halves(random, 50, size), np.array([37, 1, 2, 3], np.int64)
    yield case("embedding", f"{size}", [tokens, table], [table[37]], [size], bound=0)


def heads(random):
    """What happens to each head of a token on its own."""
    label, shape = f"{HEADS}x{HEAD_SIZE}", (HEADS, HEAD_SIZE)
    token, receptance, key, bonus, value = (halves(random, *shape) for _ in range(5))
    scale = halves(random, 16)
    yield case("head_scaled_add", label, [token, scale, value], [narrow(wide(token) + wide(scale)[:HEADS, None] * wide(value))],
               [HEADS, HEAD_SIZE], bound=3e-3, order=["x", "scale", "v", "out", "heads", "head_size"])
    score = (wide(receptance) * wide(key) * wide(bonus)).sum(1, keepdims=True)
    yield case("sk_output", label, [token, receptance, key, bonus, value], [narrow(wide(token) + score * wide(value))],
               [HEAD_SIZE], blocks=HEADS, bound=1e-2)
    weight, bias, gate = uniform(random, .5, 1.5, shape), uniform(random, -1, 1, shape), halves(random, *shape)
    grouped = layer_norm(token, weight, bias) + score * wide(value)
    yield case("groupnorm_sk", label, [token, receptance, key, bonus, value, weight, bias, gate], [narrow(grouped * wide(gate))],
               [EPSILON, 1 / HEAD_SIZE, HEAD_SIZE], blocks=HEADS, bound=1e-2)
    learning, scale, share = (halves(random, *shape) for _ in range(3))
    direction = wide(key) * wide(scale)
    yield case("k_prep_normalize", label, [key, learning, scale, share],
               [narrow(direction / np.linalg.norm(direction, axis=1, keepdims=True)),
                narrow(wide(key) * (1 + (sigmoid(learning) - 1) * wide(share))), narrow(sigmoid(learning))],
               [HEADS, HEAD_SIZE], blocks=HEADS + 1, bound=4e-3)
    rank_one = -wide(scale)[:, :, None] * (wide(scale) * wide(learning))[:, None]
    yield case("outer_products", label, [value, key, scale, learning],
               [narrow(wide(value)[:, :, None] * wide(key)[:, None]), Output(rank_one.astype(np.float32), bound=3e-3)],
               [HEADS, HEAD_SIZE], blocks=2 * HEADS, bound=2e-3)


def state_post(random):
    """The state after a token: decayed, with two products added."""
    square = (HEADS, HEAD_SIZE, HEAD_SIZE)
    state, product = uniform(random, -1, 1, square), uniform(random, -1, 1, square)
    decay, added = halves(random, HEADS, HEAD_SIZE), halves(random, *square)
    wanted = wide(state) * wide(decay)[:, None] + product + wide(added)
    return case("state_post", f"{HEADS}x{HEAD_SIZE}", [state, decay, product, added], [wanted.astype(np.float32), narrow(wanted)], [HEAD_SIZE],
                blocks=HEADS, bound=1e-3, order=["state", "w", "term2", "vk", "out", "out_half", "head_size"])


def prefill_shift_mix(random):
    """Two sequences; each row is mixed with the row before it, the first of a sequence with the carried one."""
    sequences, rows, size = 2, 7, 256
    tokens, carried = halves(random, sequences * rows, size), halves(random, sequences, size)
    shares = [halves(random, size) for _ in range(6)]
    before = np.stack([carried[row // rows] if row % rows == 0 else tokens[row - 1] for row in range(sequences * rows)])
    wanted = np.stack([narrow(mixed(tokens, before, one)) for one in shares + shares[3:] + [shares[2]]])
    return case("prefill_shift_mix", f"{sequences}x{rows}x{size}", [tokens, carried, *shares], [wanted],
                [sequences * rows, rows, size, 4, 4], blocks=40, bound=4e-3)


def prefill_scan(random):
    """The recurrence over the tokens: decay, the delta rule with the removed key, and the new key's value."""
    tokens, count = 5, 2
    size, shape = count * HEAD_SIZE, (1, tokens, count * HEAD_SIZE)
    decay = uniform(random, .5, 1, shape, np.float16)
    key, value, removed, rate, receptance = (uniform(random, -.3, .3, shape, np.float16) for _ in range(5))
    state, outputs = np.zeros((count, HEAD_SIZE, HEAD_SIZE)), []
    for token in range(tokens):
        decay_t, key_t, value_t, removed_t, rate_t, receptance_t = (
            wide(one[0, token]).reshape(count, HEAD_SIZE) for one in (decay, key, value, removed, rate, receptance))
        delta = np.einsum("hij,hj->hi", state, -removed_t)[:, :, None] * (removed_t * rate_t)[:, None]
        state = state * decay_t[:, None] + delta + value_t[:, :, None] * key_t[:, None]
        outputs.append(np.einsum("hij,hj->hi", state, receptance_t).ravel())
    order = ["w", "k", "v", "kk", "a", "r", "state", "output", "tokens", "hidden", "row_blocks", "head_size"]
    return case("prefill_scan", f"{tokens} tokens", [decay, key, value, removed, rate, receptance],
                [Output(state.astype(np.float32), fill=0, bound=1e-2), Output(narrow(np.stack(outputs)[None]), bound=3e-2)],
                [tokens, size, 2, HEAD_SIZE], blocks=count * 2, order=order)


def cases(random):
    sized = [one for size in (768, 1040) for make in (element_wise, norms) for one in make(random, size)]
    return [*sized, *heads(random), state_post(random), prefill_shift_mix(random), prefill_scan(random)]
