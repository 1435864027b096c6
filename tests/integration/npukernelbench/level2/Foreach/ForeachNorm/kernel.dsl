kernel custom_op(x: IN0_TYPE[..]*, scalar: IN1_TYPE[1]) -> y: OUT0_TYPE[..]*:
  p = load scalar[0]
  for i in tensors(x):
    s = 0.0
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      if p == 1:
        s += sum(abs(a))
      else:
        s += sum(a * a)
    n = all_sum(s)
    store y[i, 0] = where(p == 1, n, sqrt(n))
