#pragma once

// Host sources rely on what the real headers include.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/ascend_string.h"
#include "graph/operator.h"
#include "graph/types.h"
#include "register/scalar_var.h"

// Names that sources use unqualified.
using std::map;
using std::string;
using std::vector;

// The definition of an operator: inputs, outputs, attributes, and where it runs. The emulated device reads the
// members that begin with kg_.

namespace optiling {
using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator& op, ge::AscendString& result);
}

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class DependScope { ALL = 0, TILING };
enum class FormatCheckOption { DEFAULT = 0, STRICT, ND_FORMAT };
enum class FollowType { ALL = 0, DTYPE, FORMAT, SHAPE, INVALID_TYPE };
enum class InitValueType { INIT_VALUE_DEFAULT = 0, INIT_VALUE_UINT64_T };
enum class CommentSection { CATEGORY = 0, BRIEF, CONSTRAINTS, RESTRICTIONS, THIRDPARTYFWKCOMPAT, SEE };

class OpParamDef {
 public:
  explicit OpParamDef(const char* name) : kg_name(name) {}
  OpParamDef& ParamType(Option type);
  OpParamDef& DataType(std::vector<ge::DataType> types);
  OpParamDef& DataTypeList(std::vector<ge::DataType> types);
  OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType> types);
  OpParamDef& Format(std::vector<ge::Format> formats);
  OpParamDef& FormatList(std::vector<ge::Format> formats);
  OpParamDef& FormatForBinQuery(std::vector<ge::Format> formats);
  OpParamDef& UnknownShapeFormat(std::vector<ge::Format> formats);
  OpParamDef& ValueDepend(Option depend);
  OpParamDef& ValueDepend(Option depend, DependScope scope);
  OpParamDef& Scalar();
  OpParamDef& ScalarList();
  OpParamDef& To(ge::DataType type);
  OpParamDef& To(const char* name);
  OpParamDef& AutoContiguous();
  OpParamDef& IgnoreContiguous();
  OpParamDef& Version(uint32_t version);
  OpParamDef& InitValue(uint64_t value);
  OpParamDef& InitValue(const ScalarVar& value);
  // One for each column of types.
  OpParamDef& InitValue(const std::vector<ScalarVar>& value);
  OpParamDef& OutputShapeDependOnCompute();
  OpParamDef& Follow(const char* name);
  OpParamDef& Follow(const char* name, FollowType type);
  OpParamDef& Comment(const char* text);

  std::string kg_name;
  Option kg_type = IGNORE;
  std::vector<ge::DataType> kg_types;
  std::vector<ge::Format> kg_formats;
  bool kg_any_combination = false;  // DataTypeList: one column for each
  bool kg_value_depend = false;
  bool kg_writes_shape = false;
  bool kg_is_scalar = false;
  std::string kg_follows;
  std::vector<ScalarVar> kg_initial;  // of all columns, or one for each; empty: not asked for
};

class OpAttrDef {
 public:
  explicit OpAttrDef(const char* name) : kg_name(name), kg_shown_name(name) {}
  OpAttrDef& AttrType(Option type);
  OpAttrDef& Bool();
  OpAttrDef& Bool(bool value);
  OpAttrDef& Float();
  OpAttrDef& Float(float value);
  OpAttrDef& Int();
  OpAttrDef& Int(int64_t value);
  OpAttrDef& String();
  OpAttrDef& String(const char* value);
  OpAttrDef& ListBool();
  OpAttrDef& ListBool(std::vector<bool> value);
  OpAttrDef& ListFloat();
  OpAttrDef& ListFloat(std::vector<float> value);
  OpAttrDef& ListInt();
  OpAttrDef& ListInt(std::vector<int64_t> value);
  OpAttrDef& ListListInt();
  OpAttrDef& ListListInt(std::vector<std::vector<int64_t>> value);
  OpAttrDef& Version(uint32_t version);
  OpAttrDef& Comment(const char* text);
  ge::AscendString& GetName() const { return kg_shown_name; }
  bool IsRequired() { return kg_type == REQUIRED; }

  enum class Kind { kNone, kBool, kFloat, kInt, kString, kListBool, kListFloat, kListInt, kListListInt };
  std::string kg_name;
  mutable ge::AscendString kg_shown_name;  // what GetName hands out by reference
  Option kg_type = REQUIRED;
  Kind kg_kind = Kind::kNone;
  bool kg_has_default = false;
  bool kg_bool = false;
  float kg_float = 0;
  int64_t kg_int = 0;
  std::string kg_string;
  std::vector<bool> kg_bools;
  std::vector<float> kg_floats;
  std::vector<int64_t> kg_ints;
  std::vector<std::vector<int64_t>> kg_int_lists;
};

class OpAICoreConfig {
 public:
  OpAICoreConfig() = default;
  explicit OpAICoreConfig(const char* soc) : kg_soc(soc) {}
  OpParamDef& Input(const char* name);
  OpParamDef& Output(const char* name);
  OpAICoreConfig& DynamicCompileStaticFlag(bool flag);
  OpAICoreConfig& DynamicFormatFlag(bool flag);
  OpAICoreConfig& DynamicRankSupportFlag(bool flag);
  OpAICoreConfig& DynamicShapeSupportFlag(bool flag);
  OpAICoreConfig& NeedCheckSupportFlag(bool flag);
  OpAICoreConfig& PrecisionReduceFlag(bool flag);
  OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value);

  std::string kg_soc;
  std::vector<std::shared_ptr<OpParamDef>> kg_inputs, kg_outputs;
  std::map<std::string, std::string> kg_extra;
};

class OpAICoreDef {
 public:
  using TilingFunction = ge::graphStatus (*)(gert::TilingContext*);
  OpAICoreDef& SetTiling(TilingFunction function);
  OpAICoreDef& SetCheckSupport(optiling::OP_CHECK_FUNC) { return *this; }  // the operator is already chosen
  OpAICoreDef& SetOpSelectFormat(optiling::OP_CHECK_FUNC) { return *this; }
  template <typename Function>
  OpAICoreDef& SetOpSupportInfo(Function) {
    return *this;
  }
  template <typename Function>
  OpAICoreDef& SetOpSpecInfo(Function) {
    return *this;
  }
  OpAICoreDef& LaunchWithZeroEleOutputTensors(bool) { return *this; }  // a case's outputs have elements
  OpAICoreDef& AddConfig(const char* soc);
  OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& config);

  TilingFunction kg_tiling = nullptr;
  std::map<std::string, OpAICoreConfig> kg_configs;
};

class OpDef {
 public:
  using InferShapeFunction = ge::graphStatus (*)(gert::InferShapeContext*);
  using InferDataTypeFunction = ge::graphStatus (*)(gert::InferDataTypeContext*);
  using InferShapeRangeFunction = ge::graphStatus (*)(gert::InferShapeRangeContext*);
  explicit OpDef(const char* type) : kg_op_type(type) {}
  OpParamDef& Input(const char* name);
  OpParamDef& Output(const char* name);
  OpAttrDef& Attr(const char* name);
  OpDef& SetInferShape(InferShapeFunction function);
  OpDef& SetInferShapeRange(InferShapeRangeFunction) { return *this; }  // shapes are known here
  OpDef& SetInferDataType(InferDataTypeFunction function);
  OpDef& FormatMatchMode(FormatCheckOption option);
  OpDef& EnableFallBack();
  OpDef& Comment(CommentSection section, const char* text);
  OpAICoreDef& AICore() { return kg_ai_core; }
  template <typename Use = void>
  OpDef& MC2() {
    static_assert(!std::is_void_v<Use>, "MC2: an operator that communicates needs several devices; here is one");
    return *this;
  }

  std::string kg_op_type;
  std::vector<std::shared_ptr<OpParamDef>> kg_inputs, kg_outputs;
  std::vector<std::shared_ptr<OpAttrDef>> kg_attributes;
  OpAICoreDef kg_ai_core;
  InferShapeFunction kg_infer_shape = nullptr;
  InferDataTypeFunction kg_infer_data_type = nullptr;
};

}  // namespace ops
