# Coefficients from the normalised streams of each token: y mixes the streams, p and h are for mhc_post; h is doubly
# stochastic after 20 turns of Sinkhorn and Knopp. T is a multiple of 8, D of 1024.
kernel mhc_pre(x: bfloat16[T, 4, C], w: float[24, D], s: float[3], b: float[24]) -> (y: bfloat16[T, C], p: float[T, 4], h: float[T, 4, 4]):
  scratch v: bfloat16[48, D]
  scratch l: float[8, T, 48]
  scratch q: float[T]
  # The weights in two parts, so that products of bfloat16 keep their digits.
  for k, t in cores(24, tiles(D, 2048)):
    a = load w[k, t]
    c = bfloat16(a)
    store v[k, t] = c
    store v[24 + k, t] = a - c
  barrier
  # The cube cores multiply, an eighth of D at a time, while the vector cores count places and take the means.
  for j, m in cores(8, tiles(T, 128)):
    l0c c: float[m, 48] = 0
    for k in tiles(D // 8, 128):
      l1 u = load x[m, k + j * (D // 8)]
      l1 o = load v[:, k + j * (D // 8)]
      c += gemm(u, transpose(o))
    store l[j, m, :] = c
  # For eight tokens at once: where their 24 coefficients are in rows of 48, and those of p and h in rows of 24.
  n = float(arange(192))
  row = floor((n + 0.5) / 24)
  high = int32(n + 24 * row)
  low = int32(n + 24 * row + 24)
  token = int32(row)
  column = n - 24 * row
  place = int32(column)
  e = load s[:]
  scale = where(column < 4, e[0], where(column < 8, e[1], full(192, e[2])))
  base = gather(load b[:], place)
  i = float(arange(32))
  to_p = int32(i + 20 * floor((i + 0.5) / 4) + 4)
  # The neighbours of each in its row and in its column of 4 x 4.
  o = float(arange(128))
  to_h = int32(o + 8 * floor((o + 0.5) / 16) + 8)
  four = floor((o + 0.5) / 4)
  j = o - 4 * four
  next = int32(where(j > 2.5, o - 3, o + 1))
  second = int32(where(j > 1.5, o - 2, o + 2))
  j = four - 4 * floor((four + 0.5) / 4)
  below = int32(where(j > 2.5, o - 12, o + 4))
  lower = int32(where(j > 1.5, o - 8, o + 8))
  for t in cores(T):
    a = load x[t, :]
    store q[t] = rsqrt(mean(a * a) + 1e-6)
  barrier
  for g in cores(T // 8):
    a = load l[0, g * 8:g * 8 + 8, :]
    for k in range(1, 8):
      a += load l[k, g * 8:g * 8 + 8, :]
    c = (gather(a, high) + gather(a, low)) * gather(load q[g * 8:g * 8 + 8], token) * scale + base
    f = sigmoid(c)
    store p[g * 8:g * 8 + 8, :] = gather(f, to_p) * 2
    f += 1e-6
    for k in range(8):
      d = load x[g * 8 + k, :]
      store y[g * 8 + k, :] = d[0:C] * f[24 * k] + d[C:2 * C] * f[24 * k + 1] + d[2 * C:3 * C] * f[24 * k + 2] + d[3 * C:4 * C] * f[24 * k + 3]
    m = gather(c, to_h)
    u = max(m, gather(m, next))
    m = exp(m - max(u, gather(u, second)))
    u = m + gather(m, next)
    m = m / (u + gather(u, second)) + 1e-6
    u = m + gather(m, below)
    m = m / (u + gather(u, lower) + 1e-6)
    for k in range(19):
      u = m + gather(m, next)
      m = m / (u + gather(u, second) + 1e-6)
      u = m + gather(m, below)
      m = m / (u + gather(u, lower) + 1e-6)
    store h[g * 8:g * 8 + 8, :] = m
