kernel cross_entropy_loss(p: float[R, C], y: int64[R]) -> z: float[1]:
  s = 0
  for r in cores(R):
    a = load p[r, :]
    m = max(a)
    s += log(sum(exp(a - m))) + m - a[load y[r]]
  store z[0] = all_sum(s) / R
