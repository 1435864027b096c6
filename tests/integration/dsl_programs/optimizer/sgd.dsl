kernel sgd(p: float[N], g: float[N], v: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = load p[t] - 0.01 * (0.9 * load v[t] + load g[t])
