kernel l2_norm(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    store z[r, :] = a * rsqrt(sum(a * a))
