kernel custom_op(x: IN0_TYPE[N], w: IN1_TYPE[N], v: IN2_TYPE[N], value: IN3_TYPE[1]) -> y: OUT0_TYPE[N]:
  s = load value[0]
  for t in cores(tiles(N)):
    store y[t] = load x[t] + load w[t] * load v[t] * s
