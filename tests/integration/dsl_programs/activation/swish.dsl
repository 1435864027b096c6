kernel swish(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = silu(load x[t])
