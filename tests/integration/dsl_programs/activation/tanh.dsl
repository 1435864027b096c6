kernel tanh(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = tanh(load x[t])
