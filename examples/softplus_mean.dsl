kernel softplus_mean(x: float[R, C], bias: float[C]) -> z: float[R]:
  for r in cores(R):
    a = load x[r, :]
    b = load bias[:]
    store z[r] = sum(softplus(a + b)) / C
