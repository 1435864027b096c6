#!/usr/bin/env python3
"""Writes reward_hyper_connections_reference.json: the hyper-connection operators by PyTorch in float64, for the C++ tests.

    reward_hyper_connections_reference.py > reward_hyper_connections_reference.json
"""
import json

import torch

TOKENS, CHANNELS, EPSILON = 3, 8, 1e-6


def flat(tensor):
    return [float(value) for value in tensor.flatten()]


def main():
    torch.manual_seed(7)
    draw = lambda *shape: torch.rand(*shape, dtype=torch.float64) * 2 - 1
    x, r, p, h = draw(TOKENS, CHANNELS), draw(TOKENS, 4, CHANNELS), draw(TOKENS, 4), draw(TOKENS, 4, 4)
    z = torch.bmm(h.mT, r) + p.unsqueeze(-1) * x.unsqueeze(1)
    post = {"inputs": [[list(t.shape), flat(t)] for t in (x, r, p, h)], "mhc_post": flat(z)}

    streams, w, s, b = draw(TOKENS, 4, CHANNELS), draw(24, 4 * CHANNELS), draw(3), draw(24)
    tokens = streams.flatten(1)
    mixes = (tokens @ w.T) * (tokens.square().mean(-1, keepdim=True) + EPSILON).rsqrt()
    mixes = mixes * torch.cat([s[0].expand(4), s[1].expand(4), s[2].expand(16)]) + b
    mix = mixes[:, :4].sigmoid().unsqueeze(-1) + EPSILON
    m = mixes[:, 8:].view(-1, 4, 4).softmax(-1) + EPSILON
    m = m / (m.sum(-2, keepdim=True) + EPSILON)
    for _ in range(19):
        m = m / (m.sum(-1, keepdim=True) + EPSILON)
        m = m / (m.sum(-2, keepdim=True) + EPSILON)
    pre = {"inputs": [[list(t.shape), flat(t)] for t in (streams, w, s, b)], "mhc_pre_mix": flat((streams * mix).sum(1)),
           "mhc_pre_post": flat(mixes[:, 4:8].sigmoid() * 2), "mhc_pre_streams": flat(m)}
    print(json.dumps({"post": post, "pre": pre}))


if __name__ == "__main__":
    main()
