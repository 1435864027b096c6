kernel log_softmax(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    m = max(a)
    store z[r, :] = a - (m + log(sum(exp(a - m))))
