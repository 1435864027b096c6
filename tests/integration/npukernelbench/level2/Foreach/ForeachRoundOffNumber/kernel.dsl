kernel custom_op(x: IN0_TYPE[..]*, mode: IN1_TYPE[1]) -> y: OUT0_TYPE[..]*:
  m = load mode[0]
  for i in tensors(x):
    for t in cores(tiles(size(x[i]))):
      a = load x[i, t]
      b = trunc(a)
      if m == 1:
        b = round(a)
      elif m == 2:
        b = floor(a)
      elif m == 3:
        b = ceil(a)
      elif m == 4:
        b = where(a >= 0, floor(a + 0.5), ceil(a - 0.5))
      elif m == 6:
        c = abs(a - b)
        h = b * 0.5
        odd = where(trunc(h) == h, 0.0, 1.0)
        g = where(a > 0, 1.0, 0.0) - where(a < 0, 1.0, 0.0)
        b = where(c == 0.5, where(odd == 0, b + g, b), round(a))
      elif m == 7:
        b = a - b
      store y[i, t] = b
