kernel custom_op(x: IN0_TYPE[N], low: IN1_TYPE[1], high: IN2_TYPE[1]) -> y: OUT0_TYPE[N]:
  p = load low[0]
  q = load high[0]
  for t in cores(tiles(N)):
    store y[t] = min(max(load x[t], p), q)
