#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "npu/headers/kgnpu/number.h"
#include "proto/dtype.h"
#include "tests/security/sandbox_fixture.h"

namespace kg::sandbox::testing {

// Operator projects in tests/integration/projects, through the real sandbox.

inline proto::ExecutionRequest project_request(const std::string& name) {
  proto::ExecutionRequest request;
  const fs::path folder = fs::path(KG_SOURCE_DIR) / "tests/integration/projects" / name;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    proto::ProjectFile& file = *request.add_project();
    file.set_path(entry.path().lexically_relative(folder).generic_string());
    file.set_content(read_file(entry.path()));
  }
  request.mutable_limits()->set_compile_seconds(60);
  request.mutable_limits()->set_run_seconds(10);
  return request;
}

inline void append(std::string& bytes, proto::DType dtype, double value) {
  const auto put = [&](auto number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof(number)); };
  switch (dtype) {
    case proto::FLOAT32:
      return put(static_cast<float>(value));
    case proto::FLOAT64:
      return put(value);
    case proto::FLOAT16:
      return put(kgnpu::half_bits(static_cast<float>(value)));
    case proto::INT16:
      return put(static_cast<std::int16_t>(value));
    case proto::INT32:
      return put(static_cast<std::int32_t>(value));
    case proto::INT64:
      return put(static_cast<std::int64_t>(value));
    default:
      FAIL() << "type of a test tensor";
  }
}

inline proto::Tensor& add_input(proto::RunCase& one, const std::string& name, proto::DType dtype,
                                const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  proto::Tensor& tensor = *one.add_inputs();
  tensor.set_name(name);
  tensor.set_dtype(dtype);
  for (const std::int64_t extent : shape) tensor.add_shape(extent);
  for (const double value : values) append(*tensor.mutable_data(), dtype, value);
  return tensor;
}

inline proto::TensorSpec& add_output(proto::RunCase& one, const std::string& name, proto::DType dtype,
                                     const std::vector<std::int64_t>& shape) {
  proto::TensorSpec& spec = *one.add_outputs();
  spec.set_name(name);
  spec.set_dtype(dtype);
  for (const std::int64_t extent : shape) spec.add_shape(extent);
  return spec;
}

// Small whole numbers, exact in every type.
inline std::vector<double> ramp(std::size_t count, int step) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i * static_cast<std::size_t>(step) % 61) - 30;
  return values;
}

inline std::vector<double> values_of(const proto::Tensor& tensor) {
  std::vector<double> values;
  const char* data = tensor.data().data();
  const std::size_t size = proto::element_size(tensor.dtype());
  for (std::size_t at = 0; at < tensor.data().size(); at += size) {
    const auto get = [&](auto number) {
      std::memcpy(&number, data + at, sizeof(number));
      return number;
    };
    switch (tensor.dtype()) {
      case proto::FLOAT32:
        values.push_back(get(0.0F));
        break;
      case proto::FLOAT16:
        values.push_back(kgnpu::half_value(get(std::uint16_t{})));
        break;
      case proto::INT32:
        values.push_back(get(std::int32_t{}));
        break;
      default:
        ADD_FAILURE() << "type of a test tensor";
    }
  }
  return values;
}

inline std::string errors_of(const proto::CaseResult& result) {
  std::string text;
  for (const proto::Fault& fault : result.faults())
    if (fault.severity() == proto::ERROR)
      text += fault.fault_class() + " line " + std::to_string(fault.line()) + ": " + fault.message() + "\n";
  return text;
}

class ProjectFixture : public ::testing::Test {
 protected:
  ProjectFixture() : sandbox_(start_sandbox(options())) {}

  proto::ExecutionResult execute(const proto::ExecutionRequest& request) {
    auto result = sandbox_->execute(request);
    EXPECT_EQ(result.sandbox_error(), "");
    return result;
  }

  // Of a project that compiled and whose one case did not come to its end.
  proto::Fault only_fault(const proto::ExecutionResult& result) {
    EXPECT_TRUE(result.compiled()) << result.compiler_output();
    if (result.cases_size() != 1 || result.cases(0).faults_size() == 0) {
      ADD_FAILURE() << "no fault: " << result.ShortDebugString();
      return {};
    }
    EXPECT_FALSE(result.cases(0).ran());
    EXPECT_EQ(result.cases(0).faults_size(), 1);
    return result.cases(0).faults(0);
  }

  std::unique_ptr<Sandbox> sandbox_;
};

}  // namespace kg::sandbox::testing
