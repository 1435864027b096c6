kernel instance_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  for b, f in cores(B, F):
    a = load x[b, f, :, :]
    a = a - mean(a)
    store z[b, f, :, :] = a * rsqrt(mean(a * a) + 1e-5)
