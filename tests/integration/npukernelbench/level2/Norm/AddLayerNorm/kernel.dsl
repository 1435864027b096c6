kernel custom_op(x1: IN0_TYPE[R, C], x2: IN1_TYPE[R, C], gamma: IN2_TYPE[C], beta: IN3_TYPE[C], bias: IN4_TYPE[{'C' if IN[4] == IN[2] else 'R, C'}]?) -> y: OUT0_TYPE[R, C], mu: float[R], rstd: float[R], x: OUT3_TYPE[R, C]:
  w = load gamma[:]
  b = load beta[:]
  for r in cores(R):
    a = load x1[r, :] + load x2[r, :]
    if given(bias):
      a = a + load bias[{':' if IN[4] == IN[2] else 'r, :'}]
    store x[r, :] = a
    m = mean(a)
    d = a - m
    v = mean(d * d)
    s = 1 / sqrt(v + ROW_EPSILON)
    store mu[r] = m
    store rstd[r] = s
    store y[r, :] = d * s * w + b
