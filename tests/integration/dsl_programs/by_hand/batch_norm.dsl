kernel batch_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  for f in cores(F):
    s = 0
    q = 0
    for b in range(B):
      for t in tiles(H * W):
        a = load x[b, f, t]
        s += sum(a)
        q += sum(a * a)
    n = B * H * W
    m = s / n
    k = rsqrt(q / n - m * m + 1e-5)
    for b in range(B):
      for t in tiles(H * W):
        store z[b, f, t] = (load x[b, f, t] - m) * k
