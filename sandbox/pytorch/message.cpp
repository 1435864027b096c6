#include "sandbox/pytorch/message.h"

#include <cstring>

#include "base/error.h"
#include "proto/dtype.h"

namespace kg::sandbox {
namespace {

constexpr std::size_t kMostTensors = 4096;
constexpr std::size_t kMostDimensions = 64;
constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

[[noreturn]] void fail(const std::string& what) {
  throw Error("the module's process says what nobody asked for: " + what, "pytorch module", "leave descriptor 3 alone");
}

proto::Tensor tensor_of(const nlohmann::json& spec, std::string_view bytes, std::size_t& at) {
  proto::Tensor tensor;
  tensor.set_dtype(proto::dtype_from_name(spec.at("dtype").get<std::string>()));
  if (spec.at("shape").size() > kMostDimensions) fail("a tensor of many dimensions");
  std::int64_t count = 1;
  for (const auto& given : spec.at("shape")) {
    const auto extent = given.get<std::int64_t>();
    if (extent < 0 || extent > kMostElements || (count *= extent) > kMostElements)
      fail("a tensor of impossible extents");
    tensor.add_shape(extent);
  }
  const std::size_t size = static_cast<std::size_t>(count) * proto::element_size(tensor.dtype());
  if (bytes.size() - at < size) fail("fewer bytes than its tensors have");
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
  const std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string message(reinterpret_cast<const char*>(&size), sizeof(size));
  message += text;
  for (const proto::Tensor* tensor : tensors) message += tensor->data();
  return message;
}

ModuleMessage decode_message(const std::string& bytes) {
  std::uint32_t size = 0;
  if (bytes.size() < sizeof(size)) fail("a message without a header");
  std::memcpy(&size, bytes.data(), sizeof(size));
  if (size > bytes.size() - sizeof(size)) fail("a header that is longer than its message");
  ModuleMessage message;
  message.header = nlohmann::json::parse(bytes.substr(sizeof(size), size), nullptr, /*allow_exceptions=*/false);
  if (!message.header.is_object()) fail("a header that is no JSON object");
  std::size_t at = sizeof(size) + size;
  try {
    const nlohmann::json specs = message.header.value("tensors", nlohmann::json::array());
    if (specs.size() > kMostTensors) fail("a message with many tensors");
    for (const auto& spec : specs) message.tensors.push_back(tensor_of(spec, bytes, at));
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
