kernel huber_loss(p: float[N], y: float[N]) -> z: float[1]:
  s = 0
  for t in cores(tiles(N)):
    d = abs(load p[t] - load y[t])
    m = min(d, 1)
    s += sum(m * (d - 0.5 * m))
  store z[0] = all_sum(s) / N
