#pragma once

#include "register/op_impl_registry.h"

namespace ops {

using kg_OpMaker = OpDef (*)(const char*);
int kg_add_op(const char* op_type, kg_OpMaker make);
int kg_add_config(const char* op_type, const char* soc, OpAICoreConfig (*make)());

}  // namespace ops

#define OP_ADD(op_type, ...)                                    \
  static const int kg_added_##op_type __attribute__((unused)) = \
      ::ops::kg_add_op(#op_type, [](const char* kg_name) -> ::ops::OpDef { return op_type(kg_name); })

// Adds a chip to a definition of another file; what AddConfig says of the chip counts more.
#define REGISTER_OP_AICORE_CONFIG(op_type, soc_version, function)                \
  static const int kg_config_##op_type##_##soc_version __attribute__((unused)) = \
      ::ops::kg_add_config(#op_type, #soc_version, function)
