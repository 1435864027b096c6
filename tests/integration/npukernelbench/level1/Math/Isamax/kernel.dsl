kernel custom_op(x: IN0_TYPE[N]) -> y: OUT0_TYPE[1]:
  a = load x[:]
  b = abs(a[0:ROW_N * ROW_INCX:ROW_INCX])
  m = max(b)
  i = float(arange(ROW_N))
  k = min(where(b == m, i, ROW_N))
  if program_id == 0:
    store y[0] = int(k) + 1
