kernel softsign(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    store z[t] = a / (1 + abs(a))
