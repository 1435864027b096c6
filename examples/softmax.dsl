kernel softmax(x: float[R, C]) -> z: float[R, C]:
  for r in cores(R):
    a = load x[r, :]
    e = exp(a - max(a))
    store z[r, :] = e / sum(e)
