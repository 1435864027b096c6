kernel adam(p: float[N], g: float[N], m: float[N], v: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    d = load g[t]
    a = (0.9 * load m[t] + 0.1 * d) / 0.1
    b = (0.999 * load v[t] + 0.001 * d * d) / 0.001
    store z[t] = load p[t] - 0.001 * a / (sqrt(b) + 1e-8)
