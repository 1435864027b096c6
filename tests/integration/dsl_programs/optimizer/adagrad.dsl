kernel adagrad(p: float[N], g: float[N], s: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    d = load g[t]
    store z[t] = load p[t] - 0.01 * d / (sqrt(load s[t] + d * d) + 1e-10)
