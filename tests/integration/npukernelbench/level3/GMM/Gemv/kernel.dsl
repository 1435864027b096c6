kernel custom_op(a: IN0_TYPE[M, N], x: IN1_TYPE[N], y: IN2_TYPE[M]) -> z: OUT0_TYPE[M]:
  v = load x[:]
  for r in cores(M):
    store z[r] = sum(load a[r, :] * v) * ROW_ALPHA + load y[r] * ROW_BETA
