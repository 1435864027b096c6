kernel elu(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    store z[t] = max(a, 0) + (exp(min(a, 0)) - 1)
