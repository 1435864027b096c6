kernel custom_op(x: IN0_TYPE[N]) -> x:
  for t in cores(tiles(N)):
    store x[t] = load x[t] * ROW_ALPHA
