kernel max_pooling_3d(x: float[P, D, H, W]) -> z: float[P, E, I, J]:
  for p, e, i in cores(P, E, I):
    s = full(W + 2, -inf)
    for d in range(max(2 * e - 1, 0), min(2 * e + 2, D)):
      for h in range(max(2 * i - 1, 0), min(2 * i + 2, H)):
        s = max(s, load x[p, d, h, -1:W + 1] pad -inf)
    a = s[0:2 * J:2]
    for k in range(1, 3):
      a = max(a, s[k:k + 2 * J - 1:2])
    store z[p, e, i, :] = a
