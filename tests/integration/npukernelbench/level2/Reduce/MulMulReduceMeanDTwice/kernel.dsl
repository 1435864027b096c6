kernel custom_op(x: IN0_TYPE[R, C], w: IN1_TYPE[R, C], k: IN2_TYPE[1], add: IN3_TYPE[1], gamma: IN4_TYPE[C], beta: IN5_TYPE[C]) -> y: OUT0_TYPE[R, C]:
  f = load k[0]
  e = load add[0]
  g = load gamma[:]
  b = load beta[:]
  for r in cores(R):
    a = load x[r, :] * load w[r, :] * f
    d = a - mean(a)
    store y[r, :] = b + g * d / sqrt(mean(d * d) + e)
