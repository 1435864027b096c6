kernel custom_op(first: IN0_TYPE[1], last: IN1_TYPE[1], step: IN2_TYPE[1]) -> y: OUT0_TYPE[N]:
  a = load first[0]
  d = load step[0]
  for t in cores(tiles(N)):
    i = arange(len(t)) + start(t)
    store y[t] = {'i' if IN_TYPE[0] in ('int32', 'int64') else 'float(i)'} * d + a
