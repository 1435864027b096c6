kernel custom_op(x: float[N], w: float[N]) -> y: float[N]:
  for t in cores(tiles(N, 4096)):
    a = load x[t]
    b = load w[t]
    i = arange(len(t))
    h = float(i) * 0.5
    odd = (h - floor(h)) * 2
    k = int32(odd)
    swapped = gather(a, i + 1 - 2 * k)
    re = gather(b, i - k)
    im = gather(b, i + 1 - k)
    store y[t] = a * re + swapped * im * (2 * odd - 1)
