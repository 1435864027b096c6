kernel custom_op(x: IN0_TYPE[N], w: IN1_TYPE[N], v: IN2_TYPE[N], value: IN3_TYPE[1]) -> y: OUT0_TYPE[N]:
  s = load value[0]
  for t in cores(tiles(N)):
    a = load x[t]{' as half' if IN_TYPE[0] == 'half' else ''}
    b = load w[t]{' as half' if IN_TYPE[0] == 'half' else ''}
    c = load v[t]{' as half' if IN_TYPE[0] == 'half' else ''}
    store y[t] = a + b / c * s
