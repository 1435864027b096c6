kernel custom_op(x: IN0_TYPE[..]*) -> y: OUT0_TYPE[..]*:
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      store y[i, t] = -a
