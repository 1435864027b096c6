kernel custom_op(x: IN0_TYPE[N]) -> y: OUT0_TYPE[1]:
  a = load x[0:ROW_N * ROW_INCX]
  if program_id == 0:
    store y[0] = sum(abs(a[0:ROW_N * ROW_INCX:ROW_INCX]))
