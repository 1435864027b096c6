kernel custom_op(a: IN0_TYPE[M, K], b: IN1_TYPE[K, N]) -> z: OUT0_TYPE[M, N]:
  for m, n in cores(tiles(M), tiles(N)):
    l0c c: float[m, n] = 0
    for k in tiles(K):
      l1 p = load a[m, k]
      l1 q = load b[k, n]
      c += gemm(p, q)
    store z[m, n] = c
