kernel instance_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  n = H * W
  for b, f in cores(B, F):
    s = 0
    q = 0
    for t in tiles(n):
      a = load x[b, f, t]
      s += sum(a)
      q += sum(a * a)
    m = s / n
    k = rsqrt(q / n - m * m + 1e-5)
    for t in tiles(n):
      store z[b, f, t] = (load x[b, f, t] - m) * k
