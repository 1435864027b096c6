#include <cmath>

#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {

std::vector<OperatorInfo> cast_operators() {
  return {
      elementwise("to_float", "cast", "x as float", {.simple = 1}, [](const Values& x) -> Values { return x; },
                  {.dsl = "$x", .flags = kCast | kExact}),
      elementwise("to_half", "cast", "x as half", {.simple = 1}, [](const Values& x) -> Values { return x; },
                  {.dsl = "$x", .flags = kCast | kExact}),
      elementwise("to_bfloat16", "cast", "x as bfloat16", {.simple = 1}, [](const Values& x) -> Values { return x; },
                  {.dsl = "$x", .flags = kCast | kExact}),
      elementwise("to_int32", "cast", "x as int32, toward zero", {.simple = 1},
                  [](const Values& x) -> Values { return x.unaryExpr([](double v) { return std::trunc(v); }); },
                  {.dsl = "int32($x)", .flags = kCast | kStep | kExact}),
      elementwise("to_int8", "cast", "x as int8, to the nearest", {.simple = 1},
                  [](const Values& x) -> Values { return x.unaryExpr([](double v) { return std::nearbyint(v); }); },
                  {.dsl = "$x", .flags = kCast | kStep | kExact}),
  };
}

}  // namespace kg::operators
