kernel selu(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    store z[t] = 1.05070099 * (max(a, 0) + 1.67326324 * (exp(min(a, 0)) - 1))
