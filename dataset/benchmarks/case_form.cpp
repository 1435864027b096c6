#include "dataset/benchmarks/case_form.h"

#include "base/error.h"
#include "base/hash.h"
#include "proto/dtype.h"

namespace kg::dataset::benchmarks {
namespace {

using nlohmann::json;

proto::ParamKind kind_of(const std::string& name) {
  proto::ParamKind kind = proto::REQUIRED;
  if (!proto::ParamKind_Parse(name, &kind))
    throw Error("unknown kind of parameter \"" + name + "\"", "operator definition", "REQUIRED, OPTIONAL or DYNAMIC");
  return kind;
}

proto::TensorSpec spec_of(const json& given) {
  proto::TensorSpec spec;
  spec.set_name(given.at("name"));
  spec.set_dtype(proto::dtype_from_name(given.at("dtype")));
  for (const auto& extent : given.at("shape")) spec.add_shape(extent);
  spec.set_kind(kind_of(given.at("kind")));
  spec.set_absent(given.value("absent", false));
  spec.set_in_place_of(given.value("in_place_of", ""));
  spec.set_without_parameter(given.value("without_parameter", false));
  if (given.contains("fill")) {
    spec.mutable_distribution()->set_kind(proto::Distribution::CONSTANT);
    spec.mutable_distribution()->set_low(given["fill"]);
  }
  return spec;
}

proto::Attribute attribute_of(const json& given) {
  proto::Attribute attribute;
  attribute.set_name(given.at("name"));
  attribute.set_constant(given.value("constant", false));
  const std::string type = given.at("type");
  const json& value = given.at("value");
  if (type == "Int")
    attribute.set_integer(value);
  else if (type == "Float")
    attribute.set_real(value);
  else if (type == "Bool")
    attribute.set_flag(value);
  else if (type == "String")
    attribute.set_text(value);
  else if (type == "ListInt")
    for (const auto& one : (attribute.mutable_integers(), value)) attribute.mutable_integers()->add_values(one);
  else if (type == "ListFloat")
    for (const auto& one : (attribute.mutable_reals(), value)) attribute.mutable_reals()->add_values(one);
  else if (type == "ListBool")
    for (const auto& one : (attribute.mutable_flags(), value)) attribute.mutable_flags()->add_values(one);
  else if (type == "ListListInt")
    for (const auto& one : (attribute.mutable_integer_lists(), value)) {
      proto::Attribute::Integers& list = *attribute.mutable_integer_lists()->add_values();
      for (const auto& number : one) list.add_values(number);
    }
  else
    throw Error("unknown type of attribute \"" + type + "\"", attribute.name(),
                "Int, Float, Bool, String or a list of them");
  return attribute;
}

proto::Check check_of(const json& given) {
  proto::Check check;
  const std::string name = given.at("name");
  check.set_kind(name == "both" ? proto::Check::BOTH : name == "allclose" ? proto::Check::EITHER : proto::Check::NAMED);
  check.set_name(name);
  check.set_absolute(given.value("absolute", 0.0));
  check.set_relative(given.value("relative", 0.0));
  return check;
}

}  // namespace

proto::TaskCase case_of(const json& answer) {
  proto::TaskCase made;
  for (const json& input : answer.at("inputs")) *made.add_inputs() = spec_of(input);
  for (const json& output : answer.at("outputs")) *made.add_outputs() = spec_of(output);
  for (const json& attribute : answer.at("attributes")) *made.add_attributes() = attribute_of(attribute);
  for (const json& given : answer.at("checked")) {
    proto::CheckedTensor& checked = *made.add_checked();
    for (const auto& output : given.at("outputs")) checked.add_outputs(output);
    checked.set_dtype(proto::dtype_from_name(given.at("dtype")));
    for (const auto& extent : given.at("shape")) checked.add_shape(extent);
    checked.set_golden_dtype(proto::dtype_from_name(given.at("golden").at("dtype")));
    for (const auto& extent : given.at("golden").at("shape")) checked.add_golden_shape(extent);
    checked.set_absolute(given.value("absolute", 0.0));
    checked.set_relative(given.value("relative", 0.0));
  }
  *made.mutable_check() = check_of(answer.at("check"));
  made.set_seed(answer.at("seed"));
  made.set_label(answer.at("label"));
  made.set_prompt_kernel_only(answer.value("prompt_kernel_only", ""));
  made.set_prompt_full(answer.value("prompt_full", ""));
  for (const json& note : answer.at("notes")) made.add_notes(note);
  for (const std::uint64_t bytes : answer.value("operator_bytes", std::vector<std::uint64_t>()))
    made.add_operator_bytes(bytes);
  for (const std::uint64_t products : answer.value("operator_products", std::vector<std::uint64_t>()))
    made.add_operator_products(products);
  if (answer.contains("call")) made.set_call(answer["call"].dump());
  if (answer.contains("result_form")) made.set_result_form(answer["result_form"].dump());
  return made;
}

proto::CaseTensor tensor_of(const std::string& task, int case_index, const json& header, const std::string& bytes) {
  proto::CaseTensor tensor;
  tensor.set_task(task);
  tensor.set_case_index(static_cast<std::uint32_t>(case_index));
  const std::string role = header.at("role");
  tensor.set_role(role == "input"    ? proto::CaseTensor::INPUT
                  : role == "golden" ? proto::CaseTensor::GOLDEN
                                     : proto::CaseTensor::GOLDEN_FP64);
  tensor.set_index(header.at("index"));
  tensor.set_dtype(proto::dtype_from_name(header.at("dtype")));
  for (const auto& extent : header.at("shape")) tensor.add_shape(extent);
  tensor.set_byte_count(header.at("bytes"));
  tensor.set_hash(header.contains("hash") ? header["hash"].get<std::uint64_t>() : hash64(bytes));
  return tensor;
}

}  // namespace kg::dataset::benchmarks
