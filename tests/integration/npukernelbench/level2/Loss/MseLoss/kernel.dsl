kernel custom_op(p: IN0_TYPE[N], y: IN1_TYPE[N]) -> z: OUT0_TYPE[{prod(OUT[0])}]:
  s = 0.0
  for t in cores(tiles(N)):
    d = load p[t] - load y[t]
    {'store z[t] = d * d' if REDUCTION == 'none' else 's += sum(d * d)'}
  {'' if REDUCTION == 'none' else 'store z[0] = all_sum(s)' + (' / N' if REDUCTION == 'mean' else '')}
