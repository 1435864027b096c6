kernel custom_op(dy: IN0_TYPE[{prod(IN[0][:axis(DIM, IN[0])])}, {prod(IN[0][axis(DIM, IN[0]):])}], x: IN1_TYPE[{prod(IN[0][:axis(DIM, IN[0])])}, 2, {prod(IN[0][axis(DIM, IN[0]):])}]) -> dx: OUT0_TYPE[{prod(IN[0][:axis(DIM, IN[0])])}, 2, {prod(IN[0][axis(DIM, IN[0]):])}]:
  for r, t in cores({prod(IN[0][:axis(DIM, IN[0])])}, tiles({prod(IN[0][axis(DIM, IN[0]):])})):
    a = load x[r, 0, t]
    d = load dy[r, t]
    g = sigmoid(a)
    store dx[r, 0, t] = d * load x[r, 1, t] * (g * (1 + a * (1 - g)))
    store dx[r, 1, t] = d * (a * g)
