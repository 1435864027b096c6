kernel mse_loss(p: float[N], y: float[N]) -> z: float[1]:
  s = 0
  for t in cores(tiles(N)):
    s += sum((load p[t] - load y[t]) ** 2)
  store z[0] = all_sum(s) / N
