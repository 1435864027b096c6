# Coefficients from the normalised streams of each token: y mixes the streams, p and r are for mhc_post; r is doubly stochastic
# after 20 turns of Sinkhorn and Knopp.
kernel mhc_pre(x: float[T, 4, C], w: float[24, D], b: float[24]) -> (y: float[T, C], p: float[T, 4], r: float[T, 16]):
  e = load b[:]
  n = float(arange(24))
  i = float(arange(16))
  row = floor(i / 4)
  u = i - 4 * row + 1
  u = where(u > 3, u - 4, u)
  v = where(i > 11, i - 12, i + 4)
  next = int32(4 * row + u)
  below = int32(v)
  for t in cores(T):
    a = load x[t, :, :]
    s = rsqrt(mean(a * a) + 1e-6)
    l = zeros(24)
    for k in range(24):
      l = where(n == k, sum(a * load w[k, :]) * s, l)
    l += e
    g = sigmoid(l[0:4])
    store p[t, :] = 2 * sigmoid(l[4:8])
    store y[t, :] = a[0:C] * g[0] + a[C:2 * C] * g[1] + a[2 * C:3 * C] * g[2] + a[3 * C:4 * C] * g[3]
    m = exp(l[8:24])
    for k in range(20):
      c = m + gather(m, next)
      d = gather(c, next)
      m = m / (c + gather(d, next))
      f = m + gather(m, below)
      h = gather(f, below)
      m = m / (f + gather(h, below))
    store r[t, :] = m
