kernel custom_op(x: IN0_TYPE[R, C], target: int64[R], weight: float[C]?) -> loss: OUT0_TYPE[{prod(OUT[0])}], log_prob: OUT1_TYPE[R, C], zloss: OUT2_TYPE[1], lse: OUT3_TYPE[R]:
  total = 0.0
  smooth = 0.0
  weights = 0.0
  squares = 0.0
  for r in cores(R):
    a = load x[r, :]
    m = max(a)
    e = sum(exp(a - m))
    l = m + log(e)
    p = a - l
    store log_prob[r, :] = p
    store lse[r] = l
    squares += l * l
    k = load target[r]
    v = load x[r, k]
    w = 1.0
    if given(weight):
      w = load weight[k]
      u = -sum(p * load weight[:])
    else:
      u = -sum(p)
    if k == {IGNORE_INDEX if IGNORE_INDEX >= 0 else -1}:
      w = 0.0
      u = 0.0
    {'store loss[r] = (l - v) * w * (1 - ROW_LABEL_SMOOTHING) + u * ROW_LABEL_SMOOTHING / C' if REDUCTION == 'none' else ''}
    total += (l - v) * w
    smooth += u
    weights += w
  total = all_sum(total)
  smooth = all_sum(smooth)
  weights = all_sum(weights)
  squares = all_sum(squares)
  if program_id == 0:
    {'store loss[0] = (total * (1 - ROW_LABEL_SMOOTHING) + smooth * ROW_LABEL_SMOOTHING / C)' + (' / (weights + 1e-12)' if REDUCTION == 'mean' else '') if REDUCTION != 'none' else ''}
    store zloss[0] = {'squares / R * ROW_LSE_SQUARE_SCALE_FOR_ZLOSS' if RETURN_ZLOSS else '0.0'}
