kernel sigmoid(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = sigmoid(load x[t])
