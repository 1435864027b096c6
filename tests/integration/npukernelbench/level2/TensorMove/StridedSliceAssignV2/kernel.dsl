kernel custom_op(x: IN0_TYPE[{([1, 1] + IN[0])[-3] if len(IN[0]) < 3 else prod(IN[0][:-2])}, {([1, 1] + IN[0])[-2]}, {IN[0][-1]}], v: IN1_TYPE[{([1, 1] + IN[1])[-3] if len(IN[1]) < 3 else prod(IN[1][:-2])}, {([1, 1] + IN[1])[-2]}, {IN[1][-1]}], first: int64[P], last: int64[P], step: int64[P], axes: int64[P]) -> y: OUT0_TYPE[{([1, 1] + IN[0])[-3] if len(IN[0]) < 3 else prod(IN[0][:-2])}, {([1, 1] + IN[0])[-2]}, {IN[0][-1]}]:
  a0 = 0
  a1 = 0
  a2 = 0
  s0 = 1
  s1 = 1
  for i in range(P):
    d = load axes[i]
    d = d + {3 - len(IN[0])}
    if d == 0:
      a0 = load first[i]
      s0 = load step[i]
    elif d == 1:
      a1 = load first[i]
      s1 = load step[i]
    else:
      a2 = load first[i]
  for i, j in cores({([1, 1] + IN[0])[-3] if len(IN[0]) < 3 else prod(IN[0][:-2])}, {([1, 1] + IN[0])[-2]}):
    store y[i, j, :] = load x[i, j, :]
    for p in range({([1, 1] + IN[1])[-3] if len(IN[1]) < 3 else prod(IN[1][:-2])}):
      if a0 + p * s0 == i:
        for q in range({([1, 1] + IN[1])[-2]}):
          if a1 + q * s1 == j:
            store y[i, j, a2:a2 + {IN[1][-1]}] = load v[p, q, :]
