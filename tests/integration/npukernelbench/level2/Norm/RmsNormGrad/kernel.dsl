kernel custom_op(dy: IN0_TYPE[R, C], x: IN1_TYPE[R, C], rstd: float[R], gamma: IN3_TYPE[C]) -> dx: OUT0_TYPE[R, C], dgamma: float[C]:
  scratch part_dgamma: float[num_programs, C]
  ub acc_dgamma: float[C] = 0
  w = load gamma[:]
  for r in cores(R):
    g = load dy[r, :]
    a = load x[r, :]
    s = load rstd[r]
    p = g * w
    store dx[r, :] = p * s - a * (sum(p * a) * s * s * s / C)
    acc_dgamma += g * a * s
  store part_dgamma[program_id, :] = acc_dgamma
  barrier
  for t in cores(tiles(C)):
    s_dgamma = load part_dgamma[0, t]
    for p in range(1, num_programs):
      s_dgamma += load part_dgamma[p, t]
    store dgamma[t] = s_dgamma
