kernel layer_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  n = F * H * W
  for b in cores(B):
    s = 0
    q = 0
    for t in tiles(n):
      a = load x[b, t]
      s += sum(a)
      q += sum(a * a)
    m = s / n
    k = rsqrt(q / n - m * m + 1e-5)
    for t in tiles(n):
      store z[b, t] = (load x[b, t] - m) * k
