kernel lamb(p: float[N], m: float[N], v: float[N]) -> z: float[N]:
  s = 0
  q = 0
  for t in cores(tiles(N)):
    s += sum(load p[t] ** 2)
    q += sum((load m[t] / (sqrt(load v[t]) + 1e-6)) ** 2)
  k = sqrt(all_sum(s)) / (sqrt(all_sum(q)) + 1e-6) * 0.001
  for t in cores(tiles(N)):
    store z[t] = load p[t] - k * load m[t] / (sqrt(load v[t]) + 1e-6)
