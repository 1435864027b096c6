kernel cumsum_reverse(x: float[R, C]) -> z: float[R, C]:
  tile T = 4096
  for r in cores(R):
    c = 0.0
    for k in range(C // T):
      i = C - T * (k + 1)
      a = flip(cumsum(flip(load x[r, i:i + T]))) + c
      store z[r, i:i + T] = a
      c = a[0]
