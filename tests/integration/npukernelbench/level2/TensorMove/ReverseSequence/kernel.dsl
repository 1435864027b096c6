kernel custom_op(x: IN0_TYPE[{prod(IN[0][:min(SEQ_DIM, BATCH_DIM)])}, {IN[0][min(SEQ_DIM, BATCH_DIM)]}, {prod(IN[0][min(SEQ_DIM, BATCH_DIM) + 1:max(SEQ_DIM, BATCH_DIM)])}, {IN[0][max(SEQ_DIM, BATCH_DIM)]}, {prod(IN[0][max(SEQ_DIM, BATCH_DIM) + 1:])}], lengths: int64[B]) -> y: OUT0_TYPE[{prod(IN[0][:min(SEQ_DIM, BATCH_DIM)])}, {IN[0][min(SEQ_DIM, BATCH_DIM)]}, {prod(IN[0][min(SEQ_DIM, BATCH_DIM) + 1:max(SEQ_DIM, BATCH_DIM)])}, {IN[0][max(SEQ_DIM, BATCH_DIM)]}, {prod(IN[0][max(SEQ_DIM, BATCH_DIM) + 1:])}]:
  for p, b in cores({prod(IN[0][:min(SEQ_DIM, BATCH_DIM)])}, B):
    n = load lengths[b]
    for q in range({prod(IN[0][min(SEQ_DIM, BATCH_DIM) + 1:max(SEQ_DIM, BATCH_DIM)])}):
      for s in range({IN[0][SEQ_DIM]}):
        k = s
        if s < n:
          k = n - 1 - s
        store y[p, {'b, q, s' if BATCH_DIM < SEQ_DIM else 's, q, b'}, :] = load x[p, {'b, q, k' if BATCH_DIM < SEQ_DIM else 'k, q, b'}, :]
