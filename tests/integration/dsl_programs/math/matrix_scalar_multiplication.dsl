kernel matrix_scalar_multiplication(a: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = load a[t] * 3.14
