kernel cumprod(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    store z[r, :] = cumprod(load x[r, :])
