#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "sandbox/pytorch/command.h"
#include "sandbox/pytorch/message.h"

namespace kg::sandbox {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHost = R"(
  // this->Input("old").ParamType(REQUIRED);
  this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
  this->Input("list") .ParamType( DYNAMIC ); this->Input ( "mask" ).ParamType(OPTIONAL).DataType({ge::DT_BOOL});
  /* this->Output("old"); */
  this->Output("y").ParamType(REQUIRED);
  this->Output("x").ParamType(REQUIRED);
  this->Attr("scale").AttrType(REQUIRED).Float();
  this->Attr("dims").AttrType(OPTIONAL).ListInt({});
)";

proto::Tensor tensor(std::initializer_list<float> values) {
  proto::Tensor made;
  made.set_dtype(proto::FLOAT32);
  made.add_shape(static_cast<std::int64_t>(values.size()));
  made.set_data(values.begin(), values.size() * sizeof(float));
  return made;
}

ModuleMessage message(const std::string& arguments, const std::vector<proto::Tensor>& tensors) {
  std::vector<const proto::Tensor*> pointers;
  for (const proto::Tensor& one : tensors) pointers.push_back(&one);
  return decode_message(
      encode_message({{"command", "aclnnX"}, {"arguments", nlohmann::json::parse(arguments)}}, pointers));
}

TEST(ModuleCommand, ParametersAreReadFromTheDefinitionsText) {
  const OperatorParameters found = read_parameters(kHost);
  ASSERT_EQ(found.inputs.size(), 3u);
  EXPECT_EQ(found.inputs[1].name, "list");
  EXPECT_EQ(found.inputs[1].kind, proto::DYNAMIC);
  EXPECT_EQ(found.inputs[2].kind, proto::OPTIONAL);
  ASSERT_EQ(found.outputs.size(), 2u);
  ASSERT_EQ(found.attributes.size(), 2u);
  EXPECT_EQ(found.attributes[0].type, "Float");
  EXPECT_EQ(found.attributes[1].type, "ListInt");
  EXPECT_TRUE(read_parameters(std::string(1 << 20, '(')).inputs.empty());
}

TEST(ModuleCommand, ArgumentsBecomeACase) {
  const std::vector<proto::Tensor> tensors = {tensor({1, 2}), tensor({3}), tensor({4}), tensor({0, 0, 0})};
  const Command made = command_of(read_parameters(kHost), message(R"([
      {"kind": "tensor", "tensors": [0]}, {"kind": "tensors", "tensors": [1, 2]}, {"kind": "none", "value": null},
      {"kind": "int", "value": 2}, {"kind": "ints", "value": [1, -1]}, {"kind": "tensor", "tensors": [3]}])",
                                                                  tensors));
  ASSERT_EQ(made.run_case.inputs_size(), 4);
  EXPECT_EQ(made.run_case.inputs(2).name(), "list");
  EXPECT_TRUE(made.run_case.inputs(3).absent());
  ASSERT_EQ(made.run_case.attributes_size(), 2);
  EXPECT_EQ(made.run_case.attributes(0).real(), 2.0) << "a whole number for a real attribute";
  EXPECT_EQ(made.run_case.attributes(1).integers().values(1), -1);
  ASSERT_EQ(made.run_case.outputs_size(), 2);
  EXPECT_EQ(made.run_case.outputs(1).in_place_of(), "x");
  EXPECT_EQ(made.written, (std::vector<int>{3, 0}));
}

TEST(ModuleCommand, ArgumentsThatDoNotFitAreNamed) {
  const auto why = [](const std::string& arguments) {
    try {
      command_of(read_parameters(kHost), message(arguments, {tensor({1})}));
    } catch (const Error& error) {
      return error.full_message();
    }
    return std::string("none");
  };
  EXPECT_THAT(why("[]"),
              HasSubstr("the command has 0 arguments, the operator definition 3 inputs, 2 attributes and 1 outputs"));
  EXPECT_THAT(why(R"([{"kind": "none"}, {"kind": "none"}, {"kind": "none"}, {"kind": "tensor", "tensors": [0]}])"),
              HasSubstr("\"x\" is a none"));
  EXPECT_THAT(why(R"([{"kind": "tensor", "tensors": [7]}, {"kind": "none"}, {"kind": "none"}, {"kind": "none"}])"),
              HasSubstr("without its tensor"));
  EXPECT_THAT(why(R"([{"kind": 5}, {}, {}, {}])"), HasSubstr("do not fit the definition"));
}

TEST(ModuleMessage, WhatIsNoMessageIsAnError) {
  EXPECT_THROW(decode_message(""), Error);
  const auto framed = [](const std::string& rest) {
    const std::uint64_t size = rest.size();
    return std::string(reinterpret_cast<const char*>(&size), 8) + rest;
  };
  EXPECT_THROW(decode_message(framed(std::string("\xff\xff\xff\xff{}", 6))), Error);
  EXPECT_THROW(decode_message(framed(std::string("\x02\0\0\0[]", 6))), Error);
  const auto with = [&framed](const std::string& header) {
    const auto size = static_cast<std::uint32_t>(header.size());
    return framed(std::string(reinterpret_cast<const char*>(&size), 4) + header);
  };
  EXPECT_THROW(decode_message(with(R"({"tensors": [{"dtype": "float32", "shape": [1]}]})")), Error) << "no bytes";
  EXPECT_THROW(decode_message(with(R"({"tensors": [{"dtype": "float32", "shape": [-1]}]})")), Error);
  EXPECT_THROW(decode_message(with(R"({"tensors": [{"dtype": "float32", "shape": [4294967296, 4294967296, 0]}]})")),
               Error);
  EXPECT_THROW(decode_message(with(R"({"tensors": [{"dtype": "float7", "shape": []}]})")), Error);
  EXPECT_THROW(decode_message(with(R"({"tensors": [5]})")), Error);
  EXPECT_EQ(decode_message(with(R"({"tensors": [{"dtype": "int8", "shape": [0]}]})")).tensors.size(), 1u);
}

}  // namespace
}  // namespace kg::sandbox
