kernel custom_op(x: IN0_TYPE[{prod(OUT[0][:axis(DIM, OUT[0])])}, 2, {prod(OUT[0][axis(DIM, OUT[0]):])}]) -> y: OUT0_TYPE[{prod(OUT[0][:axis(DIM, OUT[0])])}, {prod(OUT[0][axis(DIM, OUT[0]):])}]:
  for r, t in cores({prod(OUT[0][:axis(DIM, OUT[0])])}, tiles({prod(OUT[0][axis(DIM, OUT[0]):])})):
    a = load x[r, 0, t]
    store y[r, t] = silu(a) * load x[r, 1, t]
