kernel hardtanh(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = clamp(load x[t], -1, 1)
