kernel custom_op(x: IN0_TYPE[N]) -> y: OUT0_TYPE[N]:
  for t in cores(tiles(N)):
    a = load x[t]
    # spence(x) = pi^2 / 6 - log(x) log(1 - x) - spence(1 - x); at e^-u it is the sum of B_n u^(n + 1) / (n + 1)!
    low = a < 0.5
    b = where(low, 1 - a, a)
    u = -log(b)
    v = u * u
    p = u - v * 0.25 + u * v * (0.0277777778 + v * (-0.000277777778 + v * (4.72411187e-6 + v * (-9.18577308e-8 + v * (1.89788699e-9 - v * 4.06476164e-11)))))
    q = log(max(a, 1e-38)) * log(max(b, 0.25))
    store y[t] = where(low, 1.644934067 - q - p, p)
