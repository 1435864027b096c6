kernel average_pooling_2d(x: float[P, H, W]) -> z: float[P, I, J]:
  for p, i in cores(P, I):
    s = zeros(W)
    for k in range(11):
      s += load x[p, 11 * i + k, :]
    a = zeros(J)
    for k in range(11):
      a += s[k:k + 11 * J - 10:11]
    store z[p, i, :] = a / 121
