# z[i] = sum over j of h[j, i] r[j] + p[i] x, for each token: its four streams r, mixed, and the layer's output x
kernel mhc_post(x: bfloat16[T, C], r: bfloat16[T, 4, C], p: float[T, 4], h: float[T, 4, 4]) -> z: bfloat16[T, 4, C]:
  for t in cores(T):
    a = load r[t, :]
    f = load x[t, :]
    m = load h[t, :]
    g = load p[t, :]
    for i in range(4):
      store z[t, i, :] = f * g[i] + a[0:C] * m[i] + a[C:2 * C] * m[4 + i] + a[2 * C:3 * C] * m[8 + i] + a[3 * C:4 * C] * m[12 + i]
