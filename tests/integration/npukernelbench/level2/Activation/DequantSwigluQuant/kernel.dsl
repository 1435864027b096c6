kernel custom_op(x: IN0_TYPE[R, 2 * C], weight_scale: float[G, 2 * C]?, activate_scale: float[R]?, bias: IN3_TYPE[2 * C]?, quant_scale: float[G, C], quant_offset: float[G, C]?, group_index: int32[G]?) -> y: int8[R, C], scale: float[R]:
  for r in cores(R):
    g = 0
    if given(group_index):
      seen = 0
      for j in range(G):
        seen += load group_index[j]
        if seen <= r:
          g = j + 1
    a = {'float(load x[r, 0:C] + load bias[0:C])' if len(IN[3]) else 'float(load x[r, 0:C])'}
    b = {'float(load x[r, C:2 * C] + load bias[C:2 * C])' if len(IN[3]) else 'float(load x[r, C:2 * C])'}
    if given(weight_scale):
      a = a * load weight_scale[g, 0:C]
      b = b * load weight_scale[g, C:2 * C]
    if given(activate_scale):
      s = load activate_scale[r]
      a = a * s
      b = b * s
    o = {'silu(a) * b' if ACTIVATE_LEFT else 'silu(b) * a'}
    q = load quant_scale[g, :]
    if given(quant_offset):
      o = o / q + load quant_offset[g, :]
      store scale[r] = 0.0
    else:
      o = o * q
      m = max(abs(o))
      store scale[r] = m / 127
      o = o * (127 / m)
    store y[r, :] = round(clamp(o, -128, 127))
