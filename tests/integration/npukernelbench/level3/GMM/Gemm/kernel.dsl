kernel custom_op(a: IN0_TYPE[M, K], b: IN1_TYPE[K, N], c0: IN2_TYPE[M, N]) -> c0:
  scratch s: float[M, N]
  for m, n in cores(tiles(M), tiles(N)):
    l0c c: float[m, n] = 0
    for k in tiles(K):
      l1 p = load a[m, k]
      l1 q = load b[k, n]
      c += gemm(p, q)
    store s[m, n] = c
  barrier
  for r, t in cores(M, tiles(N)):
    store c0[r, t] = load s[r, t] * ROW_ALPHA + load c0[r, t] * ROW_BETA
