kernel custom_op(q: IN0_TYPE[T, H, D], qr: IN1_TYPE[T, H, E], kv: IN2_TYPE[P, 128, 1, D], kr: IN3_TYPE[P, 128, 1, E], blocks: int32[B, {IN[4][1]}]) -> z: OUT0_TYPE[T, H, D]:
  for t, h in cores(T, H):
    a = load q[t, h, :]
    b = load qr[t, h, :]
    i = t // {Q_SEQLEN}
    m = -1e30
    s = 0.0
    ub acc: float[D] = 0
    for j in range({KV_SEQLEN}):
      p = load blocks[i, j // 128]
      v = load kv[p, j % 128, 0, :]
      w = load kr[p, j % 128, 0, :]
      d = (sum(a * v) + sum(b * w)) * {(IN[0][2] + IN[1][2]) ** -0.5}
      n = max(m, d)
      f = exp(m - n)
      g = exp(d - n)
      acc = acc * f + v * g
      s = s * f + g
      m = n
    store z[t, h, :] = acc / s
