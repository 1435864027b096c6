#pragma once

#include "register/op_impl_registry.h"

namespace ops {

using kg_OpMaker = OpDef (*)(const char*);
int kg_add_op(const char* op_type, kg_OpMaker make);

}  // namespace ops

#define OP_ADD(op_type, ...)                                    \
  static const int kg_added_##op_type __attribute__((unused)) = \
      ::ops::kg_add_op(#op_type, [](const char* kg_name) -> ::ops::OpDef { return op_type(kg_name); })
