kernel triplet_margin_loss(a: float[R, C], p: float[R, C], n: float[R, C]) -> z: float[1]:
  s = 0
  for r in cores(R):
    b = load a[r, :] + 1e-6
    d = sum((b - load p[r, :]) ** 2)
    e = sum((b - load n[r, :]) ** 2)
    s += relu(sqrt(d) - sqrt(e) + 1)
  store z[0] = all_sum(s) / R
