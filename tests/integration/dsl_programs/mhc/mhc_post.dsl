# z[i] = sum over j of h[j, i] r[j] + p[i] x, for each token: its four streams r, mixed, and the layer's output x.
# The coefficients of eight tokens are loaded at once.
kernel mhc_post(x: bfloat16[T, C], r: bfloat16[T, 4, C], p: float[T, 4], h: float[T, 4, 4]) -> z: bfloat16[T, 4, C]:
  for b in cores(T // 8):
    m = load h[b * 8:b * 8 + 8, :]
    g = load p[b * 8:b * 8 + 8, :]
    for k in range(8):
      a = load r[b * 8 + k, :]
      f = load x[b * 8 + k, :]
      for i in range(4):
        store z[b * 8 + k, i, :] = f * g[4 * k + i] + a[0:C] * m[16 * k + i] + a[C:2 * C] * m[16 * k + 4 + i] + a[2 * C:3 * C] * m[16 * k + 8 + i] + a[3 * C:4 * C] * m[16 * k + 12 + i]
