kernel custom_op(grad: IN0_TYPE[{prod(IN[0])}], log_prob: IN1_TYPE[R, C], target: int64[R], weight: float[C]?, grad_zloss: IN4_TYPE[Z]?, lse: IN5_TYPE[Z]?) -> dx: OUT0_TYPE[R, C]:
  weights = 0.0
  for r in cores(R):
    k = load target[r]
    w = 1.0
    if given(weight):
      w = load weight[k]
    if k == {IGNORE_INDEX if IGNORE_INDEX >= 0 else -1}:
      w = 0.0
    weights += w
  weights = all_sum(weights)
  i = float(arange(C))
  for r in cores(R):
    k = load target[r]
    g = load grad[{'r' if REDUCTION == 'none' else '0'}]
    w = 1.0
    if given(weight):
      w = load weight[k]
    if k == {IGNORE_INDEX if IGNORE_INDEX >= 0 else -1}:
      w = 0.0
    n = g * (1 - ROW_LABEL_SMOOTHING) * w{' / (weights + 1e-12)' if REDUCTION == 'mean' else ''}
    a = load log_prob[r, :]
    store dx[r, :] = exp(a) * n - where(i == k, n, 0.0)
