kernel custom_op(dy: IN0_TYPE[N], x: IN1_TYPE[N], y: IN2_TYPE[N]) -> z: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    q = a * a
    e = exp((q * -0.07135481627 - 1.5957691216) * a)
    f = 1 / (e + 1)
    store z[t] = load dy[t] * (e * ((q * 0.2140644488 + 1.5957691216) * a) * f * f + f)
