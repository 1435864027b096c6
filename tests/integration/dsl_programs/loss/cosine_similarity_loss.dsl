kernel cosine_similarity_loss(p: float[R, C], y: float[R, C]) -> z: float[1]:
  s = 0
  for r in cores(R):
    a = load p[r, :]
    b = load y[r, :]
    s += 1 - sum(a * b) / max(sqrt(sum(a * a) * sum(b * b)), 1e-8)
  store z[0] = all_sum(s) / R
