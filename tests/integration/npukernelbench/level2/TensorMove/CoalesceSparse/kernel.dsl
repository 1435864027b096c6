kernel custom_op(unique_len: int64[U], unique_indices: int64[N], indices: int64[N, {IN[2][1]}], values: IN3_TYPE[N, {prod(IN[3][1:])}]) -> new_indices: int64[U, {IN[2][1]}], new_values: OUT1_TYPE[U, {prod(IN[3][1:])}]:
  for u in cores(U):
    last = 0
    ub sum: {'int32' if IN_TYPE[3] == 'int32' else 'float'}[{prod(IN[3][1:])}] = 0
    for i in range(N):
      k = load unique_indices[i]
      if k == u:
        sum += load values[i, :]
        last = i
    store new_indices[u, :] = load indices[last, :]
    store new_values[u, :] = sum
