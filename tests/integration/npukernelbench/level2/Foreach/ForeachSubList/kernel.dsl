kernel custom_op(x: IN0_TYPE[..]*, y: IN1_TYPE[..]*, alpha: IN2_TYPE[1]) -> z: OUT0_TYPE[..]*:
  s = load alpha[0]
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]{' as half' if IN_TYPE[0] == 'half' else ''}
      b = load y[i, t]{' as half' if IN_TYPE[0] == 'half' else ''}
      store z[i, t] = a - b * s
