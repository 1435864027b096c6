kernel relu(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = relu(load x[t])
