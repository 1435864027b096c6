kernel custom_op(dy: IN0_TYPE[R, C], x1: IN1_TYPE[R, C], x2: IN2_TYPE[R, C], rstd: float[R], mu: float[R], gamma: IN5_TYPE[C], dsum: IN6_TYPE[R, C]?) -> dx: OUT0_TYPE[R, C], dgamma: float[C], dbeta: float[C]:
  scratch part_dgamma: float[num_programs, C]
  scratch part_dbeta: float[num_programs, C]
  ub acc_dgamma: float[C] = 0
  ub acc_dbeta: float[C] = 0
  w = load gamma[:]
  for r in cores(R):
    g = load dy[r, :]
    s = load rstd[r]
    m = load mu[r]
    d = load x1[r, :] + load x2[r, :] - m
    p = g * w
    v = sum(p * d) * -0.5 * s * s * s
    u = -sum(p) * s - v * 2 / C * sum(d)
    o = p * s + d * (v * 2 / C) + u / C
    if given(dsum):
      o = o + load dsum[r, :]
    store dx[r, :] = o
    acc_dbeta += g
    acc_dgamma += g * d * s
  store part_dgamma[program_id, :] = acc_dgamma
  store part_dbeta[program_id, :] = acc_dbeta
  barrier
  for t in cores(tiles(C)):
    s_dgamma = load part_dgamma[0, t]
    for p in range(1, num_programs):
      s_dgamma += load part_dgamma[p, t]
    store dgamma[t] = s_dgamma
    s_dbeta = load part_dbeta[0, t]
    for p in range(1, num_programs):
      s_dbeta += load part_dbeta[p, t]
    store dbeta[t] = s_dbeta
