kernel custom_op(x: IN0_TYPE[N]) -> y: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    a = float(load x[t])
    store y[t] = {'where(a != 0, 1.0, 0.0)' if OUT_TYPE[0] == 'bool' else cast('a', OUT_TYPE[0]) if OUT_TYPE[0] != 'int8' else 'trunc(a)'}
