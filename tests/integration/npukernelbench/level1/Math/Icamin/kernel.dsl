kernel custom_op(x: float[M]) -> y: OUT0_TYPE[1]:
  a = load x[0:2 * ROW_N]
  b = abs(a[0:2 * ROW_N:2]) + abs(a[1:2 * ROW_N:2])
  m = min(b)
  i = float(arange(ROW_N))
  k = min(where(b == m, i, ROW_N))
  if program_id == 0:
    store y[0] = int(k) + 1
