kernel custom_op(p: IN0_TYPE[N], y: IN1_TYPE[N], dout: IN2_TYPE[N]) -> z: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    store z[t] = (load p[t] - load y[t]) * {'(2 / N)' if REDUCTION == 'mean' else '2'} * load dout[t]
