kernel batch_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  for f in cores(F):
    s = 0
    q = 0
    for b in range(B):
      a = load x[b, f, :, :]
      s += sum(a)
      q += sum(a * a)
    n = B * H * W
    m = s / n
    k = rsqrt(q / n - m * m + 1e-5)
    for b in range(B):
      store z[b, f, :, :] = (load x[b, f, :, :] - m) * k
