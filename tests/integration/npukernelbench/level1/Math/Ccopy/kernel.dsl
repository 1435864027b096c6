kernel custom_op(x: float[N]) -> y: float[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    store y[t] = a
