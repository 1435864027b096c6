kernel average_pooling_1d(x: float[R, L]) -> z: float[R, M]:
  for r, t in cores(R, tiles(M)):
    s = zeros(len(t))
    for k in range(8):
      s += load x[r, t + (k - 4)] pad 0
    store z[r, t] = s / 8
