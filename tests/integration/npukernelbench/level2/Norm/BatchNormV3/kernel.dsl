kernel custom_op(x: IN0_TYPE[{IN[0][0]}, C, {prod(IN[0][2:])}], weight: IN1_TYPE[C]?, bias: IN2_TYPE[C]?, mean_in: IN3_TYPE[C], var_in: IN4_TYPE[C]) -> y: OUT0_TYPE[{IN[0][0]}, C, {prod(IN[0][2:])}], mean_out: OUT1_TYPE[C], var_out: OUT2_TYPE[C], save_mean: OUT3_TYPE[C], save_var: OUT4_TYPE[C]:
  for c in cores(C):
    total = 0.0
    for n in range({IN[0][0]}):
      for t in tiles({prod(IN[0][2:])}):
        total += sum(load x[n, c, t])
    m = {rounded_number('total / ' + str(IN[0][0] * prod(IN[0][2:])), IN_TYPE[0])}
    squares = 0.0
    for n in range({IN[0][0]}):
      for t in tiles({prod(IN[0][2:])}):
        d = {rounded('load x[n, c, t] - m', IN_TYPE[0])}
        squares += sum({rounded('d * d', IN_TYPE[0])})
    v = {rounded_number('squares / ' + str(IN[0][0] * prod(IN[0][2:])), IN_TYPE[0])}
    g = {rounded_number('v + ROW_EPSILON', IN_TYPE[0])}
    s = {rounded_number('1 / sqrt(g)', IN_TYPE[0])}
    store save_mean[c] = m
    store save_var[c] = s
    p = load mean_in[c]
    q = load var_in[c]
    store mean_out[c] = {'p * (1 - ROW_MOMENTUM) + m * ROW_MOMENTUM' if TRAINING else 'p'}
    store var_out[c] = {'q * (1 - ROW_MOMENTUM) + v * ROW_MOMENTUM' if TRAINING else 'q'}
    for n in range({IN[0][0]}):
      for t in tiles({prod(IN[0][2:])}):
        d = {rounded('load x[n, c, t] - m', IN_TYPE[0])}
        e = {rounded('d * s', IN_TYPE[0])}
        if given(weight):
          e = {rounded('e * load weight[c]', 'half' if IN_TYPE[0] == 'half' else 'float')}
        if given(bias):
          e = {rounded('e + load bias[c]', 'half' if IN_TYPE[0] == 'half' else 'float')}
        store y[n, c, t] = e
