kernel custom_op(x: IN0_TYPE[N]) -> y: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    u = abs(a)
    store y[t] = a * exp((a - u) * 0.851) / (1 + exp(-1.702 * u))
