kernel custom_op(x: IN0_TYPE[R, C], normalized_shape: IN1_TYPE[K], gamma: IN2_TYPE[C]?, beta: IN3_TYPE[C]?) -> y: OUT0_TYPE[R, C], mu: float[R], rstd: float[R]:
  for r in cores(R):
    a = load x[r, :]
    m = mean(a)
    d = a - m
    v = mean(d * d)
    s = 1 / sqrt(v + ROW_EPSILON)
    store mu[r] = m
    store rstd[r] = s
    o = d * s
    if given(gamma):
      o = o * load gamma[:]
    if given(beta):
      o = o + load beta[:]
    store y[r, :] = o
