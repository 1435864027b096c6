kernel custom_op(qa: int8[M, K], qb: int8[K, N], scale: IN2_TYPE[N], per_token: IN3_TYPE[M]) -> z: OUT0_TYPE[M, N]:
  scratch a: half[M, K]
  scratch b: half[K, N]
  scratch s: float[M, N]
  for r in cores(M):
    u = load qa[r, :]
    store a[r, :] = u
  for r in cores(K):
    u = load qb[r, :]
    store b[r, :] = u
  barrier
  for m, n in cores(tiles(M), tiles(N)):
    l0c c: float[m, n] = 0
    for k in tiles(K):
      l1 p = load a[m, k]
      l1 q = load b[k, n]
      c += gemm(p, q)
    store s[m, n] = c
  barrier
  w = load scale[:]
  for r in cores(M):
    store z[r, :] = load s[r, :] * w * load per_token[r]
