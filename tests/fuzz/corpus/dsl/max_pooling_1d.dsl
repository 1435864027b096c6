kernel max_pooling_1d(x: float[R, L]) -> z: float[R, M]:
  for r, t in cores(R, tiles(M)):
    s = full(len(t), -inf)
    for k in range(8):
      s = max(s, load x[r, t + (k - 4)] pad -inf)
    store z[r, t] = s
