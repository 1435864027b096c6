kernel cumsum_exclusive(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    store z[r, :] = cumsum(a) - a
