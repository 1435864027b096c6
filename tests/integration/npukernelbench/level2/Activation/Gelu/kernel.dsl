kernel custom_op(x: IN0_TYPE[N]) -> y: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    store y[t] = 0.5 * a * (1 + erf(a * 0.7071067812))
