kernel max_pooling_2d(x: float[P, H, W]) -> z: float[P, I, J]:
  for p, i in cores(P, I):
    s = full(W + 2, -inf)
    for h in range(max(i - 1, 0), min(i + 3, H)):
      s = max(s, load x[p, h, -1:W + 1] pad -inf)
    a = s[0:J]
    for k in range(1, 4):
      a = max(a, s[k:k + J])
    store z[p, i, :] = a
