kernel frobenius_norm(x: float[N]) -> z: float[N]:
  s = 0
  for t in cores(tiles(N)):
    s += sum(load x[t] ** 2)
  k = rsqrt(all_sum(s))
  for t in cores(tiles(N)):
    store z[t] = load x[t] * k
