kernel custom_op(x: IN0_TYPE[N], w: IN1_TYPE[N], v: IN2_TYPE[N]) -> y: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    store y[t] = a + load v[t] * (load w[t] - a)
