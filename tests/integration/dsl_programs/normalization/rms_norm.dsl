kernel rms_norm(x: float[B, F, H, W]) -> z: float[B, F, H, W]:
  for b, t in cores(B, tiles(H * W)):
    q = zeros(len(t))
    for f in range(F):
      q += load x[b, f, t] ** 2
    q = rsqrt(q / F + 1e-5)
    for f in range(F):
      store z[b, f, t] = load x[b, f, t] * q
