# out[i] = sum over j of r[i, j] x[j] + p[i] f, for each token
kernel mhc_post(x: float[T, 4, C], f: float[T, C], r: float[T, 16], p: float[T, 4]) -> z: float[T, 4, C]:
  for t in cores(T):
    a = load x[t, 0, :]
    b = load x[t, 1, :]
    c = load x[t, 2, :]
    d = load x[t, 3, :]
    h = load f[t, :]
    m = load r[t, :]
    g = load p[t, :]
    for i in range(4):
      store z[t, i, :] = a * m[4 * i] + b * m[4 * i + 1] + c * m[4 * i + 2] + d * m[4 * i + 3] + h * g[i]
