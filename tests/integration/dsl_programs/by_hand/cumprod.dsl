kernel cumprod(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    c = 1.0
    for t in tiles(C):
      a = cumprod(load x[r, t]) * c
      store z[r, t] = a
      c = a[len(t) - 1]
