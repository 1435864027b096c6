#include "sandbox/pytorch/message.h"

#include <string_view>

#include "base/error.h"
#include "proto/dtype.h"
#include "proto/json_frame.h"

namespace kg::sandbox {
namespace {

constexpr std::size_t kMostTensors = 4096;
constexpr std::size_t kMostDimensions = 64;
constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

[[noreturn]] void fail(const std::string& what) {
  throw Error("the module's process sent an unexpected message: " + what, "pytorch module", "leave descriptor 3 alone");
}

proto::JsonFrame frame_of(const std::string& bytes) {
  try {
    return proto::decode_json_frame(bytes);
  } catch (const Error& error) {
    fail(error.what());
  }
}

proto::Tensor tensor_of(const nlohmann::json& spec, std::string_view bytes, std::size_t& at) {
  proto::Tensor tensor;
  tensor.set_dtype(proto::dtype_from_name(spec.at("dtype").get<std::string>()));
  if (spec.at("shape").size() > kMostDimensions) fail("a tensor with too many dimensions");
  std::int64_t count = 1;
  for (const auto& given : spec.at("shape")) {
    const auto extent = given.get<std::int64_t>();
    if (extent < 0 || extent > kMostElements || (count *= extent) > kMostElements)
      fail("a tensor with impossible extents");
    tensor.add_shape(extent);
  }
  const std::size_t size = static_cast<std::size_t>(count) * proto::element_size(tensor.dtype());
  if (bytes.size() - at < size) fail("fewer bytes than its tensors need");
  tensor.set_data(bytes.data() + at, size);
  at += size;
  return tensor;
}

}  // namespace

std::string encode_message(nlohmann::json header, const std::vector<const proto::Tensor*>& tensors) {
  if (!tensors.empty()) {
    nlohmann::json& specs = header["tensors"] = nlohmann::json::array();
    for (const proto::Tensor* tensor : tensors)
      specs.push_back({{"dtype", proto::dtype_name(tensor->dtype())},
                       {"shape", std::vector<std::int64_t>(tensor->shape().begin(), tensor->shape().end())}});
  } else if (!header.contains("tensors")) {
    header["tensors"] = nlohmann::json::array();
  }
  std::vector<std::string_view> payload;
  for (const proto::Tensor* tensor : tensors) payload.push_back(tensor->data());
  return proto::encode_json_frame(header, payload);
}

ModuleMessage decode_message(const std::string& bytes) {
  ModuleMessage message;
  const proto::JsonFrame frame = frame_of(bytes);
  message.header = frame.header;
  std::size_t at = 0;
  try {
    const nlohmann::json specs = message.header.value("tensors", nlohmann::json::array());
    if (specs.size() > kMostTensors) fail("a message with too many tensors");
    for (const auto& spec : specs) message.tensors.push_back(tensor_of(spec, frame.payload, at));
  } catch (const nlohmann::json::exception&) {
    fail("tensors without type or shape");
  }
  return message;
}

std::string text_of(const ModuleMessage& message, const char* field) {
  const auto found = message.header.find(field);
  return found != message.header.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace kg::sandbox
