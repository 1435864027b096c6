kernel group_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  n = F // 8 * H * W
  for b, g in cores(B, 8):
    s = 0
    q = 0
    for t in tiles(n):
      a = load x[b, t + g * n]
      s += sum(a)
      q += sum(a * a)
    m = s / n
    k = rsqrt(q / n - m * m + 1e-5)
    for t in tiles(n):
      store z[b, t + g * n] = (load x[b, t + g * n] - m) * k
