kernel cumsum_exclusive(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    c = 0.0
    for t in tiles(C):
      b = load x[r, t]
      a = cumsum(b) + c
      store z[r, t] = a - b
      c = a[len(t) - 1]
