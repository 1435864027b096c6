kernel custom_op(x: IN0_TYPE[..]*) -> y: OUT0_TYPE[..]*:
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      u = abs(a)
      v = where(u > 1, 1 / u, u)
      w = where(v > 0.41421356, (v - 1) / (v + 1), v)
      q = w * w
      p = w + w * q * (((0.0805374449538 * q - 0.138776856032) * q + 0.199777106478) * q - 0.333329491539)
      p = p + where(v > 0.41421356, 0.785398163, 0.0)
      p = where(u > 1, 1.570796327 - p, p)
      store y[i, t] = where(a < 0, -p, p)
