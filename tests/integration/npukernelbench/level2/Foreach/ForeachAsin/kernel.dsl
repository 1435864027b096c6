kernel custom_op(x: IN0_TYPE[..]*) -> y: OUT0_TYPE[..]*:
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      u = abs(a)
      q = where(u > 0.5, 0.5 * (1 - u), u * u)
      w = where(u > 0.5, sqrt(max(q, 0)), u)
      p = w + w * q * ((((0.042163199048 * q + 0.024181311049) * q + 0.045470025998) * q + 0.074953002686) * q + 0.166667526822)
      p = where(u > 0.5, 1.570796327 - 2 * p, p)
      p = where(u > 1, (a - a) / (u - u), where(a < 0, -p, p))
      store y[i, t] = p
