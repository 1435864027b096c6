kernel layer_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  for b in cores(B):
    a = load x[b, :, :, :]
    a = a - mean(a)
    store z[b, :, :, :] = a * rsqrt(mean(a * a) + 1e-5)
