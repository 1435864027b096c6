kernel custom_op(x: IN0_TYPE[{prod(IN[0][:DIM])}, {IN[0][DIM]}, {prod(IN[0][DIM + 1:])}], k: IN1_TYPE[1]) -> values: OUT0_TYPE[{prod(IN[0][:DIM])}, ROW_K, {prod(IN[0][DIM + 1:])}], indices: OUT1_TYPE[{prod(IN[0][:DIM])}, ROW_K, {prod(IN[0][DIM + 1:])}]:
{'''  i = float(arange(%d))
  for r in cores(%d):
    a = load x[r, :]
    for j in range(ROW_K):
      m = max(a)
      p = min(where(a == m, i, 100000.0))
      store values[r, j, 0] = m
      store indices[r, j, 0] = int(p)
      a = where(i == p, -inf, a)''' % (IN[0][DIM], prod(IN[0][:DIM])) if prod(IN[0][DIM + 1:]) == 1 else '''  for t in cores(tiles(%d)):
    last = full(len(t), inf)
    place = full(len(t), -1.0)
    for j in range(ROW_K):
      best = full(len(t), -inf)
      at = zeros(len(t))
      for r in range(%d):
        v = load x[0, r, t]
        open = ((v < last) | ((v == last) & (place < r))) & (v > best)
        best = where(open, v, best)
        at = where(open, float(r), at)
      last = best
      place = at
      store values[0, j, t] = best
      store indices[0, j, t] = int32(at)''' % (prod(IN[0][DIM + 1:]), IN[0][DIM])}
