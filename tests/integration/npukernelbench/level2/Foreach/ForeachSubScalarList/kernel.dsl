kernel custom_op(x: IN0_TYPE[..]*, scalars: IN1_TYPE[K]) -> z: OUT0_TYPE[..]*:
  for i in tensors(x):
    s = load scalars[i]
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      store z[i, t] = a - s
