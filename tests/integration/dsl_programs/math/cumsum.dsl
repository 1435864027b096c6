kernel cumsum(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    store z[r, :] = cumsum(load x[r, :])
