kernel custom_op(x1: IN0_TYPE[R, C], x2: IN1_TYPE[R, C], gamma: IN2_TYPE[C]) -> y1: float[R, C], y2: OUT1_TYPE[R, C], rstd: float[R], x: OUT3_TYPE[R, C]:
  w = load gamma[:]
  for r in cores(R):
    a = load x1[r, :] + load x2[r, :]
    store x[r, :] = a
    s = 1 / sqrt(mean(a * a) + ROW_EPSILON)
    store rstd[r] = s
    y = a * s * w
    store y1[r, :] = y
    store y2[r, :] = y
