kernel max_reduction_over_a_dimension(x: float[B, D, E]) -> z: float[B, E]:
  for b, t in cores(B, tiles(E)):
    a = load x[b, 0, t]
    for d in range(1, D):
      a = max(a, load x[b, d, t])
    store z[b, t] = a
