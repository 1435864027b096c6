kernel custom_op(x: IN0_TYPE[R, C], gamma: IN1_TYPE[C]) -> y: OUT0_TYPE[R, C], rstd: float[R]:
  w = load gamma[:]
  for r in cores(R):
    a = load x[r, :]
    s = 1 / sqrt(mean(a * a) + ROW_EPSILON)
    store rstd[r] = s
    store y[r, :] = a * s * w
