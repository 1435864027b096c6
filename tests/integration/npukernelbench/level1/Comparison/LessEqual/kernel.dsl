kernel custom_op(x: IN0_TYPE[N], w: IN1_TYPE[N]) -> y: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    store y[t] = where(float(load x[t]) <= float(load w[t]), 1.0, 0.0)
