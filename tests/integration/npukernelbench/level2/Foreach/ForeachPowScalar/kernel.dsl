kernel custom_op(x: IN0_TYPE[..]*, scalar: IN1_TYPE[1]) -> y: OUT0_TYPE[..]*:
  s = load scalar[0]
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      b = a * a
      {'for j in range(2, s):' if IN_TYPE[0] == 'int32' else 'if s != 2:'}
      {'  b = b * a' if IN_TYPE[0] == 'int32' else '  b = exp(s * log(abs(a)))'}
      {'' if IN_TYPE[0] == 'int32' else '  h = s * 0.5'}
      {'' if IN_TYPE[0] == 'int32' else '  if floor(h) != h:'}
      {'' if IN_TYPE[0] == 'int32' else '    b = where(a < 0, -b, b)'}
      store y[i, t] = b
