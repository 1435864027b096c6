kernel masked_cumsum(x: float[R, C], m: bool[R, C]) -> z: float[R, C]:
  for r in cores(R):
    store z[r, :] = cumsum(load x[r, :] * load m[r, :])
