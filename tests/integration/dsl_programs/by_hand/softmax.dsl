kernel softmax(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    m = -inf
    s = 0
    for t in tiles(C):
      a = load x[r, t]
      n = max(m, max(a))
      s = s * exp(m - n) + sum(exp(a - n))
      m = n
    for t in tiles(C):
      store z[r, t] = exp(load x[r, t] - m) / s
