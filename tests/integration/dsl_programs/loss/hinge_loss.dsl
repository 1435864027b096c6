kernel hinge_loss(p: float[R, C], y: float[C]) -> z: float[1]:
  s = 0
  for t in cores(tiles(C)):
    w = load y[t]
    a = zeros(len(t))
    for r in range(R):
      a += relu(1 - load p[r, t] * w)
    s += sum(a)
  store z[0] = all_sum(s) / size(p)
