kernel gelu(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    store z[t] = 0.5 * a * (1 + erf(a * 0.70710678))
