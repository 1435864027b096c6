kernel custom_op(x: IN0_TYPE[..]*, found: float[1], scale: float[1]) -> x, found:
  s = load scale[0]
  bad = 0.0
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      bad = max(bad, 1 - min(where(abs(a) < inf, 1.0, 0.0)))
      store x[i, t] = a * s
  store found[0] = all_max(bad)
