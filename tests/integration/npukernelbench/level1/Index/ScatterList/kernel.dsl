kernel custom_op(var: IN0_TYPE[..]*, indice: int64[L, 2], updates: IN2_TYPE[L, {prod(IN[2][1:AXIS])}, {IN[2][AXIS]}{', %d' % IN[2][-1] if AXIS == -2 else ''}], mask: bool[L]) -> out: OUT0_TYPE[..]*:
  for i in tensors(var):
    on = load mask[i]
    first = load indice[i, 0]
    count = load indice[i, 1]
{'''    for a, s in cores(%d, %d):
      at = (a * %d + s) * %d
      v = load var[i, at:at + %d]
      if on != 0 and s >= first and s < first + count:
        v = load updates[i, a, s - first, :]
      store out[i, at:at + %d] = v''' % (prod(IN[2][1:AXIS]), IN[2][AXIS], IN[2][AXIS], IN[2][-1], IN[2][-1], IN[2][-1]) if AXIS == -2 else '''    for a in cores(%d):
      v = load var[i, a * %d:a * %d + %d]
      if on != 0:
        w = load updates[i, a, :]
        j = arange(%d)
        w = gather(w, min(max(j - first, 0), %d - 1))
        f = float(j)
        v = where((f >= float(first)) & (f < float(first + count)), w, v)
      store out[i, a * %d:a * %d + %d] = v''' % (prod(IN[2][1:AXIS]), IN[2][-1], IN[2][-1], IN[2][-1], IN[2][-1], IN[2][-1], IN[2][-1], IN[2][-1], IN[2][-1])}
