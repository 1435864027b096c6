#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"

namespace kg::npu {

// What a project's host side registers while its shared object is loaded.
struct HostFunctions {  // IMPL_OP and similar macros
  ops::OpAICoreDef::TilingFunction tiling = nullptr;
  ge::graphStatus (*parse)(gert::TilingParseContext*) = nullptr;
  std::shared_ptr<void> (*make_compile_info)() = nullptr;
  ops::OpDef::InferShapeFunction infer_shape = nullptr;
  ops::OpDef::InferDataTypeFunction infer_data_type = nullptr;
  std::vector<int> value_dependent;  // indices of the definition's inputs
  std::size_t most_tiling_data = 0;  // bytes, 0: the default
};

struct HostRegistry {
  std::vector<std::pair<std::string, ops::kg_OpMaker>> operators;
  std::map<std::string, std::map<std::string, ops::OpAICoreConfig (*)()>> configs;  // by operator type and chip
  std::map<std::string, HostFunctions> functions;                                   // by operator type
  std::map<std::string, optiling::CTilingDataClassFactory::Maker> tilings;  // "AddCustom", "AddCustom_<key>", ...
};

HostRegistry& host_registry();

}  // namespace kg::npu
