kernel rmsprop(p: float[N], g: float[N], v: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    d = load g[t]
    b = 0.99 * load v[t] + 0.01 * d * d
    store z[t] = load p[t] - 0.001 * d / (sqrt(b) + 1e-8)
