kernel custom_op(a: IN0_TYPE[M, {IN[0][1]}], b: IN1_TYPE[{16 if IN[0][1] > 65535 else 1}, {IN[0][1] // 16 if IN[0][1] > 65535 else IN[0][1]}, N]) -> z: OUT0_TYPE[M, N]:
{'''  scratch w: half[16, M, %d]
  for r, i in cores(M, 16):
    v = load a[r, i * %d:i * %d + %d] as half
    store w[i, r, :] = v
  barrier''' % ((IN[0][1] // 16,) * 4) if IN[0][1] > 65535 else ''}
  for m, n in cores(tiles(M), tiles(N)):
    l0c c: float[m, n] = 0
    for i in range({16 if IN[0][1] > 65535 else 1}):
      for k in tiles({IN[0][1] // 16 if IN[0][1] > 65535 else IN[0][1]}):
        l1 p = load {'w[i, m, k]' if IN[0][1] > 65535 else 'a[m, k]'}
        l1 q = load b[i, k, n]
        c += gemm(p, q)
    store z[m, n] = c
