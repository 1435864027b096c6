kernel layer_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  for b in cores(B):
    a = load x[b, :, :, :]
    m = mean(a)
    store z[b, :, :, :] = (a - m) * rsqrt(mean(a * a) - m * m + 1e-5)
