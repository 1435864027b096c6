kernel hardsigmoid(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = clamp(load x[t] / 6 + 0.5, 0, 1)
