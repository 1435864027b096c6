kernel kl_div_loss(p: float[R, C], y: float[R, C]) -> z: float[1]:
  s = 0
  for t in cores(tiles(R * C)):
    b = load y[t]
    s += sum(b * (log(b) - log(load p[t])))
  store z[0] = all_sum(s) / R
