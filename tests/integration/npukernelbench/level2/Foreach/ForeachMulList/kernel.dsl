kernel custom_op(x: IN0_TYPE[..]*, y: IN1_TYPE[..]*) -> z: OUT0_TYPE[..]*:
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      store z[i, t] = load x[i, t] * load y[i, t]
