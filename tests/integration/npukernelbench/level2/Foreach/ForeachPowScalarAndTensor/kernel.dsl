kernel custom_op(scalar: IN0_TYPE[1], x: IN1_TYPE[..]*) -> z: OUT0_TYPE[..]*:
  s = log(load scalar[0])
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      store z[i, t] = exp(s * load x[i, t])
