kernel min_gpt_new_gelu(x: float[N]) -> z: float[N]:
  for t in cores(tiles(N)):
    store z[t] = gelu(load x[t])
