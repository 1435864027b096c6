kernel custom_op(softmax: IN0_TYPE[M, N], grad: IN1_TYPE[M, K], values: IN2_TYPE[N, K]) -> softmax:
  scratch s: float[M, N]
  scratch u: float[M]
  for m, n in cores(tiles(M), tiles(N)):
    l0c c: float[m, n] = 0
    for k in tiles(K):
      l1 p = load grad[m, k]
      l1 q = load values[n, k]
      c += gemm(p, transpose(q))
    store s[m, n] = c
  barrier
  for r in cores(M):
    store u[r] = sum(load softmax[r, :] * load s[r, :])
  barrier
  for r, t in cores(M, tiles(N)):
    store softmax[r, t] = (load s[r, t] - load u[r]) * load softmax[r, t]
