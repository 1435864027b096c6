kernel custom_op(x: IN0_TYPE[..]*, y: IN1_TYPE[..]*, w: IN2_TYPE[..]*, scalars: IN3_TYPE[K]) -> z: OUT0_TYPE[..]*:
  for i in tensors(x):
    s = load scalars[i]
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]{' as half' if IN_TYPE[0] == 'half' else ''}
      b = load y[i, t]{' as half' if IN_TYPE[0] == 'half' else ''}
      c = load w[i, t]{' as half' if IN_TYPE[0] == 'half' else ''}
      store z[i, t] = a + b / c * s
