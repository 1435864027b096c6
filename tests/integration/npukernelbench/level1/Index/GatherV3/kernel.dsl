kernel custom_op(x: IN0_TYPE[{prod(IN[0][:AXIS])}, {IN[0][AXIS]}, {prod(IN[0][AXIS + 1:])}], indices: int64[K], axis: int64[1]) -> y: OUT0_TYPE[{prod(IN[0][:AXIS])}, {IN[1][0]}, {prod(IN[0][AXIS + 1:])}]:
  for a, k in cores({prod(IN[0][:AXIS])}, K):
    i = load indices[k]
    store y[a, k, :] = load x[a, i, :]
