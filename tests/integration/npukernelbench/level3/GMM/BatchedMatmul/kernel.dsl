kernel custom_op(a: IN0_TYPE[B, M, K], b: IN1_TYPE[B, K, N]) -> z: OUT0_TYPE[B, M, N]:
  for i, m, n in cores(B, tiles(M), tiles(N)):
    l0c c: float[m, n] = 0
    for k in tiles(K):
      l1 p = load a[i, m, k]
      l1 q = load b[i, k, n]
      c += gemm(p, q)
    store z[i, m, n] = c
