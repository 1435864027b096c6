kernel custom_op(x: IN0_TYPE[{prod(IN[0][:DIM])}, 3, {prod(IN[0][DIM + 1:])}], w: IN1_TYPE[{prod(IN[0][:DIM])}, 3, {prod(IN[0][DIM + 1:])}]) -> y: OUT0_TYPE[{prod(IN[0][:DIM])}, 3, {prod(IN[0][DIM + 1:])}]:
{'''  for r, t in cores(%d, tiles(%d)):
    for i in range(3):
      j = (i + 1) %% 3
      k = (i + 2) %% 3
      store y[r, i, t] = load x[r, j, t] * load w[r, k, t] - load x[r, k, t] * load w[r, j, t]''' % (prod(IN[0][:DIM]), prod(IN[0][DIM + 1:])) if prod(IN[0][DIM + 1:]) > 1 else '''  for r in cores(tiles(%d, 1024)):
    a = load x[r, :, :]
    b = load w[r, :, :]
    n = arange(3 * len(r))
    h = float(n)
    at = h - 3 * floor((h + 0.5) * 0.333333333)
    j = n + 1 - int32(where(at > 1.5, 3.0, 0.0))
    k = n + 2 - int32(where(at > 0.5, 3.0, 0.0))
    store y[r, :, :] = gather(a, j) * gather(b, k) - gather(a, k) * gather(b, j)''' % prod(IN[0][:DIM])}
