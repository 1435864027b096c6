#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {
namespace {

template <typename Combine>
Values running(Values x, Combine combine) {
  for (Eigen::Index c = 1; c < x.cols(); ++c)
    for (Eigen::Index r = 0; r < x.rows(); ++r) x(r, c) = combine(x(r, c - 1), x(r, c));
  return x;
}

}  // namespace

std::vector<OperatorInfo> scan_operators() {
  return {
      rowwise("cumsum", "scan", "running sum along each row of x", {.simple = 2},
              [](const Values& x) -> Values { return running(x, [](double s, double v) { return s + v; }); },
              {.dsl = "cumsum($x)", .flags = kAccumulates}),
      rowwise("cumprod", "scan", "running product along each row of x", {.simple = 2},
              [](const Values& x) -> Values { return running(x, [](double s, double v) { return s * v; }); },
              {.dsl = "cumprod($x)"}),
      rowwise("flip", "index", "each row of x backwards", {.simple = 1},
              [](const Values& x) -> Values { return x.rowwise().reverse(); }, {.dsl = "flip($x)", .flags = kExact}),
  };
}

}  // namespace kg::operators
