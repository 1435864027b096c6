kernel leaky_relu(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = leaky_relu(load x[t], 0.01)
