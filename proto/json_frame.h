#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kg::proto {

// Frames between kgtrain and its Python processes, one format for all of them (docs/design/python-pipes.md): 8 bytes
// length of what follows, 4 bytes length of a JSON object, the object, and raw bytes that the object describes. Numbers
// are little-endian. json_frame.py is the other side.
struct JsonFrame {
  nlohmann::json header;
  std::string_view payload;  // within the bytes that were decoded
};

// The whole frame. The payload's parts follow each other without a gap; text that is no UTF-8 is replaced.
std::string encode_json_frame(const nlohmann::json& header, const std::vector<std::string_view>& payload = {});

// How many bytes the frame has that begins with `bytes`, its own 8 of length among them: as many as it claims, up to
// the largest number. Nothing if they do not say yet.
std::optional<std::uint64_t> json_frame_size(std::string_view bytes);

// Takes a whole frame apart. The other side may be untrusted: throws Error for what is no frame.
JsonFrame decode_json_frame(std::string_view frame);

// The front of a frame on a pipe, whose `payload` bytes are still to be read. Nothing at the end of the stream, be it
// within a frame. Throws Error for what is no frame.
struct JsonFrameFront {
  nlohmann::json header;
  std::uint64_t payload = 0;
};
std::optional<JsonFrameFront> read_json_frame_front(int descriptor);

// The folder of json_frame.py.
std::string json_frame_folder();

}  // namespace kg::proto
