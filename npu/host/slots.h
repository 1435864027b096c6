#pragma once

#include <string>
#include <vector>

#include "graph/types.h"
#include "proto/sandbox.pb.h"
#include "register/op_def.h"

namespace kg::npu {

// The definition as it applies to the emulated chip: AddConfig("ascend910b", config) may replace inputs and outputs.
struct Signature {
  std::vector<const ops::OpParamDef*> inputs, outputs;
};
// Throws Error if the definition does not support the chip, or its columns differ in number.
Signature signature_of(const ops::OpDef& definition);

// Which tensors of the case belong to which input and output of the definition: by name if all names match (case and
// underscores ignored), else by order; and the data-type column that matches them. Throws Error naming both sides if
// nothing matches.
void match_slots(const Signature& signature, const proto::RunCase& run_case, proto::HostPlan& plan);

ge::DataType host_type(proto::DType dtype);
proto::DType proto_type(ge::DataType type);         // DTYPE_UNSPECIFIED: the emulated device has no such type
ge::Format host_format(const std::string& format);  // empty: ND

}  // namespace kg::npu
