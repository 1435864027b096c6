#include "proto/json_frame.h"

#include <cstring>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/program_data.h"

namespace kg::proto {
namespace {

constexpr std::size_t kFront = sizeof(std::uint64_t) + sizeof(std::uint32_t);
constexpr std::uint32_t kLongestHeader = 64 << 20;

[[noreturn]] void fail(const std::string& what) {
  throw Error(what, "frame", "the other side does not follow docs/design/python-pipes.md", Error::Kind::kFailed);
}

struct Lengths {
  std::uint32_t header;
  std::uint64_t payload;
};

Lengths lengths_of(const char* front) {
  std::uint64_t rest = 0;
  std::uint32_t header = 0;
  std::memcpy(&rest, front, sizeof(rest));
  std::memcpy(&header, front + sizeof(rest), sizeof(header));
  if (rest < sizeof(header)) fail("a message without a header");
  if (header > rest - sizeof(header)) fail("a header that is longer than its message");
  if (header > kLongestHeader) fail("a header of " + std::to_string(header) + " bytes");
  return {header, rest - sizeof(header) - header};
}

nlohmann::json parsed(std::string_view text) {
  nlohmann::json header = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) fail("a header that is no JSON object");
  return header;
}

}  // namespace

std::string encode_json_frame(const nlohmann::json& header, const std::vector<std::string_view>& payload) {
  const std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto header_size = static_cast<std::uint32_t>(text.size());
  std::uint64_t rest = sizeof(header_size) + text.size();
  for (const std::string_view part : payload) rest += part.size();
  std::string frame;
  frame.reserve(sizeof(rest) + rest);
  frame.append(reinterpret_cast<const char*>(&rest), sizeof(rest));
  frame.append(reinterpret_cast<const char*>(&header_size), sizeof(header_size));
  frame += text;
  for (const std::string_view part : payload) frame += part;
  return frame;
}

std::optional<std::uint64_t> json_frame_size(std::string_view bytes) {
  std::uint64_t rest = 0;
  if (bytes.size() < sizeof(rest)) return std::nullopt;
  std::memcpy(&rest, bytes.data(), sizeof(rest));
  return rest > UINT64_MAX - sizeof(rest) ? UINT64_MAX : sizeof(rest) + rest;
}

JsonFrame decode_json_frame(std::string_view frame) {
  if (frame.size() < kFront || json_frame_size(frame) != frame.size()) fail("a message without a header");
  const Lengths lengths = lengths_of(frame.data());
  return {parsed(frame.substr(kFront, lengths.header)), frame.substr(kFront + lengths.header)};
}

std::optional<JsonFrameFront> read_json_frame_front(int descriptor) {
  char front[kFront];
  if (read_fully(descriptor, front, kFront) < kFront) return std::nullopt;
  const Lengths lengths = lengths_of(front);
  std::string text(lengths.header, '\0');
  if (read_fully(descriptor, text.data(), text.size()) < text.size()) return std::nullopt;
  return JsonFrameFront{parsed(text), lengths.payload};
}

std::string json_frame_folder() { return program_data("python", "proto", "json_frame.py").string(); }

}  // namespace kg::proto
