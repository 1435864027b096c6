kernel group_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  n = F // 8
  for b, g in cores(B, 8):
    a = load x[b, g * n:g * n + n, :, :]
    m = mean(a)
    store z[b, g * n:g * n + n, :, :] = (a - m) * rsqrt(mean(a * a) - m * m + 1e-5)
