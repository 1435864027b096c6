kernel custom_op(dy: IN0_TYPE[{prod(IN[0][:DIM % len(IN[0])])}, D], x: IN1_TYPE[{prod(IN[0][:DIM % len(IN[0])])}, 2, D], gelu: IN2_TYPE[M]) -> dx: OUT0_TYPE[{prod(IN[0][:DIM % len(IN[0])])}, 2, D]:
  for r, t in cores({prod(IN[0][:DIM % len(IN[0])])}, tiles(D)):
    a = load x[r, 0, t]
    b = load x[r, 1, t]
    d = load dy[r, t]
    {'w = 0.7978845608 * (a + 0.044715 * a ** 3)' if APPROXIMATE else 'w = 0.5 * (1 + erf(a * 0.7071067812))'}
    {'h = tanh(w)' if APPROXIMATE else 'h = exp(-0.5 * a * a) * 0.3989422804'}
    {'g = 0.5 * a * (1 + h)' if APPROXIMATE else 'g = a * w'}
    {'p = 0.5 * (1 + h) + 0.5 * a * (1 - h * h) * 0.7978845608 * (1 + 0.134145 * a * a)' if APPROXIMATE else 'p = w + a * h'}
    store dx[r, 0, t] = d * b * p
    store dx[r, 1, t] = d * g
