kernel custom_op(x: IN0_TYPE[{IN[0][0]}, {NUM_GROUPS}, {IN[0][1] // NUM_GROUPS}, {prod(IN[0][2:])}], gamma: IN1_TYPE[C], beta: IN2_TYPE[C]) -> y: OUT0_TYPE[{IN[0][0]}, {NUM_GROUPS}, {IN[0][1] // NUM_GROUPS}, {prod(IN[0][2:])}], mu: OUT1_TYPE[{IN[0][0]}, {NUM_GROUPS}], rstd: OUT2_TYPE[{IN[0][0]}, {NUM_GROUPS}]:
  for n, g in cores({IN[0][0]}, {NUM_GROUPS}):
    a = load x[n, g, :]
    m = mean(a)
    d = a - m
    s = 1 / sqrt(mean(d * d) + ROW_EPS)
    store mu[n, g] = m
    store rstd[n, g] = s
    for i in range({IN[0][1] // NUM_GROUPS}):
      w = load gamma[g * {IN[0][1] // NUM_GROUPS} + i]
      b = load beta[g * {IN[0][1] // NUM_GROUPS} + i]
      o = (load x[n, g, i, :] - m) * s * w + b
      {'o = o * sigmoid(o * ROW_SWISH_SCALE)' if ACTIVATE_SWISH else ''}
      store y[n, g, i, :] = o
