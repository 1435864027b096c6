kernel softplus(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = softplus(load x[t])
