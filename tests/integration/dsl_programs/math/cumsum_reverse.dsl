kernel cumsum_reverse(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    store z[r, :] = flip(cumsum(flip(load x[r, :])))
