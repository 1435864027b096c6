kernel custom_op(x: IN0_TYPE[B, S, C], w: IN1_TYPE[C], k: IN2_TYPE[1], u: IN3_TYPE[B, S], v: IN4_TYPE[B, S, C]) -> y: OUT0_TYPE[B, C]:
  f = load k[0]
  b = load w[:]
  for i in cores(B):
    ub acc: float[C] = 0
    for s in range(S):
      acc += sigmoid((load x[i, s, :] + b) * f) * load u[i, s] * load v[i, s, :]
    store y[i, :] = acc
