kernel custom_op(w: IN0_TYPE[N], m: IN1_TYPE[N], v: IN2_TYPE[N], grad: IN3_TYPE[N], step: int64[1], most: IN5_TYPE[N]) -> w, m, v{', most' if AMSGRAD else ''}:
  n = float(load step[0]) + 1
  p = 1 - exp(n * log(ROW_BETA1))
  q = 1 - exp(n * log(ROW_BETA2))
  for t in cores(tiles(N)):
    g = {'-load grad[t]' if MAXIMIZE else 'load grad[t]'}
    a = load w[t] * (1 - ROW_LR * ROW_WEIGHT_DECAY)
    b = load m[t]
    b = b + (g - b) * (1 - ROW_BETA1)
    c = load v[t] * ROW_BETA2 + g * g * (1 - ROW_BETA2)
    {'h = max(load most[t], c)' if AMSGRAD else 'h = c'}
    store w[t] = a - b / (sqrt(h / q) + ROW_EPS) * (ROW_LR / p)
    store m[t] = b
    store v[t] = c
    {'store most[t] = h' if AMSGRAD else ''}
