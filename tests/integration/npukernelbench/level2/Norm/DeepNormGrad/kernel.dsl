kernel custom_op(dy: IN0_TYPE[R, C], x: IN1_TYPE[R, C], gx: IN2_TYPE[R, C], gamma: IN3_TYPE[C], mu: float[R], rstd: float[R]) -> dx: OUT0_TYPE[R, C], dgx: OUT1_TYPE[R, C], dbeta: float[C], dgamma: float[C]:
  scratch part_b: float[{min(16, prod(IN[5]))}, C]
  scratch part_g: float[{min(16, prod(IN[5]))}, C]
  for r in cores(R):
    s = load rstd[r]
    m = load mu[r]
    d = load x[r, :] * ROW_ALPHA + load gx[r, :] - m
    p = load dy[r, :] * load gamma[:]
    v = sum(p * d) * s * s * s
    u = sum(p) * s
    o = p * s - d * (v / C) - u / C
    store dgx[r, :] = o
    store dx[r, :] = o * ROW_ALPHA
  for i, t in cores({min(16, prod(IN[5]))}, tiles(C)):
    b = zeros(len(t))
    g = zeros(len(t))
    for j in range({prod(IN[5]) // min(16, prod(IN[5]))}):
      r = i * {prod(IN[5]) // min(16, prod(IN[5]))} + j
      e = load dy[r, t]
      b += e
      g += e * (load x[r, t] * ROW_ALPHA + load gx[r, t] - load mu[r]) * load rstd[r]
    store part_b[i, t] = b
    store part_g[i, t] = g
  barrier
  for t in cores(tiles(C)):
    b = zeros(len(t))
    g = zeros(len(t))
    for i in range({min(16, prod(IN[5]))}):
      b += load part_b[i, t]
      g += load part_g[i, t]
    store dbeta[t] = b
    store dgamma[t] = g
