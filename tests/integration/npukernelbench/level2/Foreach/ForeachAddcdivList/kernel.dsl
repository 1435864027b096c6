kernel custom_op(x: IN0_TYPE[..]*, y: IN1_TYPE[..]*, w: IN2_TYPE[..]*, scalars: IN3_TYPE[K]) -> z: OUT0_TYPE[..]*:
  for i in tensors(x):
    s = load scalars[i]
    for t in cores(tiles(size(x[i]))):
      store z[i, t] = load x[i, t] + load y[i, t] / load w[i, t] * s
