kernel custom_op(x: IN0_TYPE[N]) -> y: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    store y[t] = a * sigmoid(a * ROW_SCALE)
