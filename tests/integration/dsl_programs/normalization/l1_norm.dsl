kernel l1_norm(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    store z[r, :] = a / mean(abs(a))
