kernel custom_op(w: IN0_TYPE[N], m: IN1_TYPE[N], v: IN2_TYPE[N], grad: IN3_TYPE[N], step: int64[1], most: IN5_TYPE[N]) -> w, m, v{', most' if AMSGRAD else ''}:
  n = float(load step[0]) + 1
  p = {''.join('where(n == ' + str(k) + ', ' + repr(LR / (1 - BETA1 ** k)) + ', ' for k in range(1, 11)) + 'ROW_LR / (1 - exp(n * log(ROW_BETA1)))' + ')' * 10}
  q = {''.join('where(n == ' + str(k) + ', ' + repr(1 - BETA2 ** k) + ', ' for k in range(1, 11)) + '1 - exp(n * log(ROW_BETA2))' + ')' * 10}
  for t in cores(tiles(N)):
    g = {'-load grad[t]' if MAXIMIZE else 'load grad[t]'}
    a = {rounded('load w[t] * ' + repr(1 - LR * WEIGHT_DECAY), IN_TYPE[0])}
    b = load m[t]
    b = {rounded('b + (g - b) * ' + repr(1 - BETA1), IN_TYPE[0])}
    c = {rounded('load v[t] * ROW_BETA2', IN_TYPE[0])}
    c = {rounded('c + g * ' + repr(1 - BETA2) + ' * g', IN_TYPE[0])}
    {'h = max(load most[t], c)' if AMSGRAD else 'h = c'}
    d = {rounded('h / q', IN_TYPE[0])}
    d = {rounded('sqrt(d)', IN_TYPE[0])}
    d = {rounded('d + ROW_EPS', IN_TYPE[0])}
    store w[t] = a - b * p / d
    store m[t] = b
    store v[t] = c
    {'store most[t] = h' if AMSGRAD else ''}
