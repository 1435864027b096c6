kernel l1_norm(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    s = 0
    for t in tiles(C):
      s += sum(abs(load x[r, t]))
    for t in tiles(C):
      store z[r, t] = load x[r, t] * (C / s)
