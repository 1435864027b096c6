kernel masked_cumsum(x: float[R, C], m: bool[R, C]) -> z: float[R, C]:
  for r in cores(R):
    c = 0.0
    for t in tiles(C):
      a = cumsum(load x[r, t] * load m[r, t]) + c
      store z[r, t] = a
      c = a[len(t) - 1]
