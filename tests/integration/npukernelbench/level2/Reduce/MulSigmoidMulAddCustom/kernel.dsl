kernel custom_op(x: IN0_TYPE[N], p: IN1_TYPE[1], q: IN2_TYPE[1], s: IN3_TYPE[1]) -> y: OUT0_TYPE[N]:
  a = load p[0]
  b = load q[0]
  c = load s[0]
  for t in cores(tiles(N)):
    store y[t] = sigmoid(load x[t] * a) * b + c
