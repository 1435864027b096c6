#include "sandbox/pytorch/command.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "proto/dtype.h"

namespace kg::sandbox {
namespace {

using Parameter = OperatorParameters::Parameter;

std::string without_comments(const std::string& source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "//") == 0) i = std::min(source.find('\n', i), source.size());
    if (source.compare(i, 2, "/*") == 0) {
      const std::size_t end = source.find("*/", i + 2);
      i = end == std::string::npos ? source.size() : end + 2;
    }
    if (i < source.size()) text += source[i];
  }
  return text;
}

// The name in ("name") at `at`, which moves past it; empty if there is none.
std::string quoted_argument(const std::string& text, std::size_t& at) {
  const auto skip = [&](char wanted) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at < text.size() && text[at] == wanted && ++at > 0;
  };
  if (!skip('(') || !skip('"')) return {};
  const std::size_t begin = at;
  while (at < text.size() && is_word(text[at])) ++at;
  const std::string name = text.substr(begin, at - begin);
  return skip('"') && skip(')') ? name : std::string();
}

bool has(const std::vector<Parameter>& parameters, const std::string& name) {
  return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& one) { return one.name == name; });
}

proto::Attribute attribute_of(const Parameter& parameter, const nlohmann::json& value) {
  proto::Attribute attribute;
  attribute.set_name(parameter.name);
  const std::string& type = parameter.type;
  const auto list = [&](auto* to, auto convert) {
    for (const auto& one : value) to->add_values(convert(one));
  };
  const auto real = [](const nlohmann::json& one) {
    return one.is_boolean() ? (one.get<bool>() ? 1.0 : 0.0) : one.get<double>();
  };
  const auto integer = [](const nlohmann::json& one) {
    return one.is_boolean() ? one.get<bool>() : one.get<std::int64_t>();
  };
  const auto flag = [](const nlohmann::json& one) {
    return one.is_boolean() ? one.get<bool>() : one.get<double>() != 0;
  };
  if (type == "Int") {
    attribute.set_integer(integer(value));
  } else if (type == "Float") {
    attribute.set_real(real(value));
  } else if (type == "Bool") {
    attribute.set_flag(flag(value));
  } else if (type == "String") {
    attribute.set_text(value.get<std::string>());
  } else if (type == "ListInt") {
    list((attribute.mutable_integers()), integer);
  } else if (type == "ListFloat") {
    list((attribute.mutable_reals()), real);
  } else if (type == "ListBool") {
    list((attribute.mutable_flags()), flag);
  } else {
    throw Error("attribute \"" + parameter.name + "\" is of type " + type, "EXEC_NPU_CMD",
                "Int, Float, Bool, String, or a list of the first three");
  }
  return attribute;
}

class Builder {
 public:
  explicit Builder(ModuleMessage&& message) : message_(std::move(message)) {}

  Command build(const OperatorParameters& parameters) {
    const nlohmann::json arguments = message_.header.value("arguments", nlohmann::json::array());
    std::vector<Parameter> own;
    for (const Parameter& output : parameters.outputs)
      if (!has(parameters.inputs, output.name)) own.push_back(output);
    const std::size_t inputs = parameters.inputs.size(), attributes = parameters.attributes.size();
    // Attributes at the end of the list may be left to their defaults.
    if (arguments.size() < inputs + own.size() || arguments.size() > inputs + attributes + own.size())
      throw Error("the command has " + std::to_string(arguments.size()) + " arguments, the operator definition " +
                      std::to_string(inputs) + " inputs, " + std::to_string(attributes) + " attributes and " +
                      std::to_string(own.size()) + " outputs",
                  "EXEC_NPU_CMD", "inputs, attributes, outputs, in the order of the definition");
    for (std::size_t i = 0; i < inputs; ++i) input(parameters.inputs[i], arguments[i]);
    const std::size_t given = arguments.size() - inputs - own.size();
    for (std::size_t i = 0; i < given; ++i) attribute(parameters.attributes[i], arguments[inputs + i]);
    std::size_t next = inputs + given;
    for (const Parameter& parameter : parameters.outputs)
      if (has(parameters.inputs, parameter.name))
        in_place(parameter);
      else
        output(parameter, arguments[next++]);
    return std::move(made_);
  }

 private:
  static bool is(const nlohmann::json& argument, const char* kind) { return argument.at("kind") == kind; }

  [[noreturn]] static void wrong(const Parameter& parameter, const nlohmann::json& argument, const char* wanted) {
    throw Error("argument \"" + parameter.name + "\" is a " + argument.at("kind").get<std::string>(), "EXEC_NPU_CMD",
                wanted);
  }

  std::vector<int> places(const nlohmann::json& argument) const {
    const auto found = argument.at("tensors").get<std::vector<int>>();
    for (const int place : found)
      if (place < 0 || static_cast<std::size_t>(place) >= message_.tensors.size())
        throw Error("an argument without its tensor", "EXEC_NPU_CMD", "let the helper make the message");
    return found;
  }

  void input(const Parameter& parameter, const nlohmann::json& argument) {
    if (is(argument, "none") || (is(argument, "tensors") && argument.at("tensors").empty())) {
      if (parameter.kind == proto::REQUIRED) wrong(parameter, argument, "a required input is a tensor");
      proto::Tensor& tensor = *made_.run_case.add_inputs();
      tensor.set_name(parameter.name);
      tensor.set_dtype(proto::FLOAT32);
      tensor.set_kind(parameter.kind);
      tensor.set_absent(true);
      return;
    }
    if (!is(argument, "tensor") && !is(argument, "tensors"))
      wrong(parameter, argument, "an input is a tensor, a list of tensors, or left out");
    for (const int place : places(argument)) {
      places_[parameter.name].push_back(place);
      proto::Tensor& tensor = *made_.run_case.add_inputs();
      tensor = message_.tensors[static_cast<std::size_t>(place)];
      tensor.set_name(parameter.name);
      tensor.set_kind(parameter.kind);
    }
  }

  void attribute(const Parameter& parameter, const nlohmann::json& argument) {
    if (!argument.contains("value"))
      wrong(parameter, argument, "an attribute is a number, a text, or a list of numbers");
    *made_.run_case.add_attributes() = attribute_of(parameter, argument["value"]);
  }

  proto::TensorSpec& add_output(const Parameter& parameter, int place) {
    const proto::Tensor& tensor = message_.tensors[static_cast<std::size_t>(place)];
    proto::TensorSpec& spec = *made_.run_case.add_outputs();
    spec.set_name(parameter.name);
    spec.set_kind(parameter.kind);
    spec.set_dtype(tensor.dtype());
    *spec.mutable_shape() = tensor.shape();
    made_.written.push_back(place);
    return spec;
  }

  void output(const Parameter& parameter, const nlohmann::json& argument) {
    if (!is(argument, "tensor") && !is(argument, "tensors")) wrong(parameter, argument, "an output is a tensor");
    for (const int place : places(argument)) {
      proto::TensorSpec& spec = add_output(parameter, place);
      // Outputs that the binding allocated as zeros start as zeros; all others are poisoned.
      if (message_.header["tensors"][static_cast<std::size_t>(place)].value("zero", false)) {
        spec.mutable_distribution()->set_kind(proto::Distribution::CONSTANT);
        spec.mutable_distribution()->set_low(0);
      }
    }
  }

  void in_place(const Parameter& parameter) {
    for (const int place : places_[parameter.name]) add_output(parameter, place).set_in_place_of(parameter.name);
  }

  ModuleMessage message_;
  Command made_;
  std::map<std::string, std::vector<int>> places_;  // places of the inputs
};

}  // namespace

// By hand: a text that an attacker writes must not meet std::regex, which recurses once a character.
OperatorParameters read_parameters(const std::string& host_source) {
  const std::string text = without_comments(host_source);
  OperatorParameters found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts_word = at == 0 || !is_word(text[at - 1]);
    for (const auto& [word, list] : {std::pair{"Input", &found.inputs}, std::pair{"Output", &found.outputs},
                                     std::pair{"Attr", &found.attributes}}) {
      if (!starts_word || text.compare(at, std::strlen(word), word) != 0) continue;
      std::size_t next = at + std::strlen(word);
      const std::string name = quoted_argument(text, next);
      if (name.empty()) continue;
      const std::size_t end = std::min(text.find(';', next), text.size());
      const std::string rest = text.substr(next, end - next);
      Parameter parameter{.name = name, .type = "Int"};
      if (const std::size_t kind = rest.find("ParamType("); kind != std::string::npos) {
        if (rest.find("OPTIONAL", kind) < rest.find(')', kind)) parameter.kind = proto::OPTIONAL;
        if (rest.find("DYNAMIC", kind) < rest.find(')', kind)) parameter.kind = proto::DYNAMIC;
      }
      for (const char* type : {"Int", "Float", "Bool", "String", "ListInt", "ListFloat", "ListBool", "ListListInt"})
        if (rest.find("." + std::string(type) + "(") != std::string::npos) parameter.type = type;
      list->push_back(parameter);
      at = end;
      break;
    }
  }
  return found;
}

Command command_of(const OperatorParameters& parameters, ModuleMessage&& message) {
  try {
    return Builder(std::move(message)).build(parameters);
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("arguments that do not fit the definition: ") + error.what(), "EXEC_NPU_CMD",
                "compare the binding with the operator definition");
  }
}

}  // namespace kg::sandbox
