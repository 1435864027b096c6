kernel custom_op(x: IN0_TYPE[N], value: IN1_TYPE[1]) -> y: OUT0_TYPE[N]:
  s = load value[0]
  for t in cores(tiles(N)):
    a = float(load x[t]) * s
    store y[t] = {cast('a', OUT_TYPE[0])}
