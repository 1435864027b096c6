kernel custom_op(x: IN0_TYPE[..]*, y: IN1_TYPE[..]*, w: IN2_TYPE[..]*, scalars: IN3_TYPE[1]) -> z: OUT0_TYPE[..]*:
  s = load scalars[0]
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      store z[i, t] = load x[i, t] + load y[i, t] * s * load w[i, t]
