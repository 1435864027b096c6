#include "register/op_def.h"

#include <algorithm>

// The builders of an operator definition.

namespace ops {
namespace {

template <typename Definition>
Definition& find_or_add(std::vector<std::shared_ptr<Definition>>& list, const char* name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry->kg_name == name; });
  if (found != list.end()) return **found;
  return *list.emplace_back(std::make_shared<Definition>(name));
}

}  // namespace

OpParamDef& OpParamDef::ParamType(Option type) { return kg_type = type, *this; }
OpParamDef& OpParamDef::DataType(std::vector<ge::DataType> types) { return kg_types = std::move(types), *this; }
OpParamDef& OpParamDef::DataTypeList(std::vector<ge::DataType> types) {
  kg_any_combination = true;
  return DataType(std::move(types));
}
OpParamDef& OpParamDef::DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
OpParamDef& OpParamDef::Format(std::vector<ge::Format> formats) { return kg_formats = std::move(formats), *this; }
OpParamDef& OpParamDef::FormatList(std::vector<ge::Format> formats) { return Format(std::move(formats)); }
OpParamDef& OpParamDef::FormatForBinQuery(std::vector<ge::Format>) { return *this; }
OpParamDef& OpParamDef::UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
OpParamDef& OpParamDef::ValueDepend(Option depend) {
  kg_value_depend = depend == REQUIRED || depend == OPTIONAL;
  return *this;
}
OpParamDef& OpParamDef::ValueDepend(Option depend, DependScope) { return ValueDepend(depend); }
OpParamDef& OpParamDef::Scalar() { return kg_is_scalar = true, *this; }
OpParamDef& OpParamDef::ScalarList() { return kg_is_scalar = true, *this; }
OpParamDef& OpParamDef::To(ge::DataType) { return *this; }
OpParamDef& OpParamDef::To(const char*) { return *this; }
OpParamDef& OpParamDef::AutoContiguous() { return *this; }
OpParamDef& OpParamDef::IgnoreContiguous() { return *this; }
OpParamDef& OpParamDef::Version(uint32_t) { return *this; }
OpParamDef& OpParamDef::InitValue(uint64_t value) {
  kg_initial = {{ScalarType::UINT64, value}};
  return *this;
}
OpParamDef& OpParamDef::InitValue(const ScalarVar& value) { return kg_initial = {value}, *this; }
OpParamDef& OpParamDef::InitValue(const std::vector<ScalarVar>& value) { return kg_initial = value, *this; }
OpParamDef& OpParamDef::OutputShapeDependOnCompute() { return kg_writes_shape = true, *this; }
OpParamDef& OpParamDef::Follow(const char* name) { return kg_follows = name, *this; }
OpParamDef& OpParamDef::Follow(const char* name, FollowType type) {
  return type == FollowType::ALL || type == FollowType::DTYPE ? Follow(name) : *this;
}
OpParamDef& OpParamDef::Comment(const char*) { return *this; }

#define KG_ATTRIBUTE(Name, type, member)   \
  OpAttrDef& OpAttrDef::Name() {           \
    kg_kind = Kind::k##Name;               \
    return *this;                          \
  }                                        \
  OpAttrDef& OpAttrDef::Name(type value) { \
    kg_has_default = true;                 \
    member = value;                        \
    return Name();                         \
  }
KG_ATTRIBUTE(Bool, bool, kg_bool)
KG_ATTRIBUTE(Float, float, kg_float)
KG_ATTRIBUTE(Int, int64_t, kg_int)
KG_ATTRIBUTE(String, const char*, kg_string)
KG_ATTRIBUTE(ListBool, std::vector<bool>, kg_bools)
KG_ATTRIBUTE(ListFloat, std::vector<float>, kg_floats)
KG_ATTRIBUTE(ListInt, std::vector<int64_t>, kg_ints)
KG_ATTRIBUTE(ListListInt, std::vector<std::vector<int64_t>>, kg_int_lists)
#undef KG_ATTRIBUTE
OpAttrDef& OpAttrDef::AttrType(Option type) { return kg_type = type, *this; }
OpAttrDef& OpAttrDef::Version(uint32_t) { return *this; }
OpAttrDef& OpAttrDef::Comment(const char*) { return *this; }

OpParamDef& OpAICoreConfig::Input(const char* name) { return find_or_add(kg_inputs, name); }
OpParamDef& OpAICoreConfig::Output(const char* name) { return find_or_add(kg_outputs, name); }
OpAICoreConfig& OpAICoreConfig::DynamicCompileStaticFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::DynamicFormatFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::DynamicRankSupportFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::DynamicShapeSupportFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::NeedCheckSupportFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::PrecisionReduceFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::ExtendCfgInfo(const char* key, const char* value) {
  kg_extra[key] = value;
  return *this;
}

OpAICoreDef& OpAICoreDef::SetTiling(TilingFunction function) { return kg_tiling = function, *this; }
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc) { return kg_configs.emplace(soc, OpAICoreConfig(soc)), *this; }
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, OpAICoreConfig& config) {
  kg_configs[soc] = config;
  return *this;
}

OpParamDef& OpDef::Input(const char* name) { return find_or_add(kg_inputs, name); }
OpParamDef& OpDef::Output(const char* name) { return find_or_add(kg_outputs, name); }
OpAttrDef& OpDef::Attr(const char* name) { return find_or_add(kg_attributes, name); }
OpDef& OpDef::SetInferShape(InferShapeFunction function) { return kg_infer_shape = function, *this; }
OpDef& OpDef::SetInferDataType(InferDataTypeFunction function) { return kg_infer_data_type = function, *this; }
OpDef& OpDef::FormatMatchMode(FormatCheckOption) { return *this; }
OpDef& OpDef::EnableFallBack() { return *this; }
OpDef& OpDef::Comment(CommentSection, const char*) { return *this; }

}  // namespace ops
