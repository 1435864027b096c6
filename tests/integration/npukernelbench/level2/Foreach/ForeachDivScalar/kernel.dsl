kernel custom_op(x: IN0_TYPE[..]*, scalar: IN1_TYPE[1]) -> z: OUT0_TYPE[..]*:
  s = load scalar[0]
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      store z[i, t] = a / s
