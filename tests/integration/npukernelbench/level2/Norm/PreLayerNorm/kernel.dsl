kernel custom_op(x1: IN0_TYPE[R, C], x2: IN1_TYPE[R, C], gamma: IN2_TYPE[C], beta: IN3_TYPE[C]) -> y: OUT0_TYPE[R, C]:
  w = load gamma[:]
  b = load beta[:]
  for r in cores(R):
    a = load x1[r, :] + load x2[r, :]
    m = mean(a)
    d = a - m
    v = mean(d * d)
    s = 1 / sqrt(v + ROW_EPSILON)
    store y[r, :] = d * s * w + b
