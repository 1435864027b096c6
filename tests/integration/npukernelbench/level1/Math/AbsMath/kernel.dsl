kernel custom_op(x: IN0_TYPE[N]) -> y: OUT0_TYPE[N]:
  for t in cores(tiles(N{', 4096' if COMPLEX else ''})):
    a = load x[t]
    {'h = float(arange(len(t))) * 0.5' if COMPLEX else ''}
    {'even = 1 - (h - floor(h)) * 2' if COMPLEX else ''}
    {'i = arange(len(t))' if COMPLEX else ''}
    {'b = gather(a, i + 2 * int32(even) - 1)' if COMPLEX else ''}
    store y[t] = {'sqrt(a * a + b * b) * even' if COMPLEX else 'abs(a)' if IN_TYPE[0] in ('float', 'half', 'bfloat16') else 'max(a, -a)'}
