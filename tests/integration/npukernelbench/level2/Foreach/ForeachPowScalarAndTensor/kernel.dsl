kernel custom_op(scalar: IN0_TYPE[1], x: IN1_TYPE[..]*) -> z: OUT0_TYPE[..]*:
  s = load scalar[0]
  l = log(abs(s))
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      p = exp(l * a)
      if s < 0:
        h = a * 0.5
        p = where(floor(h) == h, p, -p)
        p = where(floor(a) == a, p, (a - a) / (a - a))
      p = where(a == 0, 1.0, p)
      store z[i, t] = p
