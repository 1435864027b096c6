kernel custom_op(dy: IN0_TYPE[N], x: IN1_TYPE[N]) -> z: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    u = abs(a)
    e = exp(-1.702 * u)
    up = e + a * e * 1.702 + exp((a - u) * 1.702)
    store z[t] = load dy[t] * (up / ((e + 1) ** 2))
