kernel l2_norm(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    s = 0
    for t in tiles(C):
      s += sum(load x[r, t] ** 2)
    for t in tiles(C):
      store z[r, t] = load x[r, t] * rsqrt(s)
