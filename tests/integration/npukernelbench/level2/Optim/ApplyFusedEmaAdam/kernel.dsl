kernel custom_op(grad: IN0_TYPE[N], w: IN1_TYPE[N], m: IN2_TYPE[N], v: IN3_TYPE[N], s: IN4_TYPE[N], step: int64[1]) -> w_out: OUT0_TYPE[N], m_out: OUT1_TYPE[N], v_out: OUT2_TYPE[N], s_out: OUT3_TYPE[N]:
  n = float(load step[0])
  p = {'1 - exp(n * log(ROW_BETA1))' if BIASCORRECTION else '1.0'}
  q = {'1 - exp(n * log(ROW_BETA2))' if BIASCORRECTION else '1.0'}
  for t in cores(tiles(N)):
    x = load w[t]
    g = load grad[t]{'' if MODE else ' + x * ROW_WEIGHTDECAY'}
    a = load m[t] * ROW_BETA1 + g * (1 - ROW_BETA1)
    b = load v[t] * ROW_BETA2 + g * g * (1 - ROW_BETA2)
    u = a / p / (sqrt(b / q) + ROW_EPS){' + x * ROW_WEIGHTDECAY' if MODE else ''}
    y = x - u * ROW_LR
    store w_out[t] = y
    store m_out[t] = a
    store v_out[t] = b
    store s_out[t] = load s[t] * ROW_EMADECAY + y * (1 - ROW_EMADECAY)
