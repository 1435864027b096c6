kernel instance_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  for b, f in cores(B, F):
    a = load x[b, f, :, :]
    m = mean(a)
    store z[b, f, :, :] = (a - m) * rsqrt(mean(a * a) - m * m + 1e-5)
