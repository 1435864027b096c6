kernel custom_op(x: IN0_TYPE[R, C], gx: IN1_TYPE[R, C], beta: IN2_TYPE[C], gamma: IN3_TYPE[C]) -> mu: float[R], rstd: float[R], y: OUT2_TYPE[R, C]:
  w = load gamma[:]
  b = load beta[:]
  for r in cores(R):
    a = load x[r, :] * ROW_ALPHA + load gx[r, :]
    m = mean(a)
    d = a - m
    v = mean(d * d)
    s = 1 / sqrt(v + ROW_EPSILON)
    store mu[r] = m
    store rstd[r] = s
    store y[r, :] = d * s * w + b
