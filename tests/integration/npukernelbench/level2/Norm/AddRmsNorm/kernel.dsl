kernel custom_op(x1: IN0_TYPE[R, C], x2: IN1_TYPE[R, C], gamma: IN2_TYPE[C]) -> y: OUT0_TYPE[R, C], rstd: float[R], x: OUT2_TYPE[R, C]:
  w = load gamma[:]
  for r in cores(R):
    a = load x1[r, :] + load x2[r, :]
    store x[r, :] = a
    s = 1 / sqrt(mean(a * a) + ROW_EPSILON)
    store rstd[r] = s
    store y[r, :] = a * s * w
