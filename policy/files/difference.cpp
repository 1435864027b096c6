#include "policy/files/difference.h"

#include <ATen/ops/sub.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "policy/files/policy_version.h"

namespace kg::policy {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "kgtrain weight difference 1";
constexpr std::size_t kGroup = 64;

std::size_t groups_of(std::size_t elements) { return (elements + kGroup - 1) / kGroup; }
std::size_t code_bytes(std::size_t elements, int bits) { return (elements * static_cast<std::size_t>(bits) + 7) / 8; }

int code_of(float value, float scale, int half) {
  if (scale == 0) return 0;
  return std::clamp(static_cast<int>(std::floor(value / scale)), -half, half - 1);
}

float value_of(int code, float scale) { return scale * (static_cast<float>(code) + 0.5F); }

// The scale, as half precision holds it, with the least squared error of those tried.
float scale_of(const float* values, std::size_t count, int bits) {
  float most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(values[i]));
  if (most == 0) return 0;
  const int half = 1 << (bits - 1);
  float best = 0;
  double least = INFINITY;
  for (float part = 0.5F; part <= 1.001F; part += 0.1F) {
    const float scale = static_cast<c10::Half>(most * part / static_cast<float>(half));
    double error = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double off = values[i] - value_of(code_of(values[i], scale, half), scale);
      error += off * off;
    }
    if (error < least) {
      least = error;
      best = scale;
    }
  }
  return best;
}

void append_half(std::string& bytes, float value) {
  const c10::Half half = value;
  bytes.append(reinterpret_cast<const char*>(&half.x), 2);
}

float half_at(const char* bytes) {
  c10::Half half;
  std::memcpy(&half.x, bytes, 2);
  return half;
}

void append_matrix(std::string& bytes, const float* values, std::size_t count, int bits) {
  const int half = 1 << (bits - 1);
  std::string codes(code_bytes(count, bits), '\0');
  for (std::size_t group = 0; group < groups_of(count); ++group) {
    const std::size_t first = group * kGroup, end = std::min(count, first + kGroup);
    const float scale = scale_of(values + first, end - first, bits);
    append_half(bytes, scale);
    for (std::size_t i = first; i < end; ++i) {
      const unsigned code = static_cast<unsigned>(code_of(values[i], scale, half) + half);
      for (int bit = 0; bit < bits; ++bit) {
        const std::size_t at = i * static_cast<std::size_t>(bits) + static_cast<std::size_t>(bit);
        codes[at / 8] = static_cast<char>(codes[at / 8] | static_cast<char>(((code >> bit) & 1U) << (at % 8)));
      }
    }
  }
  bytes += codes;
}

void add_matrix(const char* bytes, float* values, std::size_t count, int bits) {
  const int half = 1 << (bits - 1);
  const char* codes = bytes + 2 * groups_of(count);
  for (std::size_t group = 0; group < groups_of(count); ++group) {
    const float scale = half_at(bytes + 2 * group);
    if (scale == 0) continue;
    for (std::size_t i = group * kGroup; i < std::min(count, (group + 1) * kGroup); ++i) {
      unsigned code = 0;
      for (int bit = 0; bit < bits; ++bit) {
        const std::size_t at = i * static_cast<std::size_t>(bits) + static_cast<std::size_t>(bit);
        code |= ((static_cast<unsigned char>(codes[at / 8]) >> (at % 8)) & 1U) << bit;
      }
      values[i] += value_of(static_cast<int>(code) - half, scale);
    }
  }
}

std::size_t bytes_of(const std::vector<std::int64_t>& shape, std::size_t count, int bits) {
  return shape.size() < 2 ? 2 * count : 2 * groups_of(count) + code_bytes(count, bits);
}

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw Error("not a readable difference of weights: " + what, file.string(),
              "export it again, or fetch the file again");
}

struct Stored {
  json header;
  std::string bytes;  // after the header
};

Stored read(const fs::path& file) {
  std::string all = read_file(file);
  std::uint64_t length = 0;
  if (all.size() < 8) fail(file, "it has " + std::to_string(all.size()) + " bytes");
  std::memcpy(&length, all.data(), 8);
  if (length > all.size() - 8) fail(file, "its header is cut off");
  Stored stored{json::parse(all.substr(8, length), nullptr, /*allow_exceptions=*/false), all.substr(8 + length)};
  if (!stored.header.is_object() || stored.header.value("format", "") != kFormat)
    fail(file, std::string("its header does not say \"") + kFormat + "\"");
  return stored;
}

}  // namespace

std::uintmax_t write_difference(const fs::path& folder, const LoadedModel& model, const LoadedModel& base,
                                const DifferenceOptions& options) {
  std::map<std::string, at::Tensor> from;
  for (const NamedTensor& named : base.weights) from[named.name] = named.tensor;
  json header = {{"format", kFormat},
                 {"base", options.base},
                 {"base_tensors", tensors_checksum(base.weights)},
                 {"bits", options.bits},
                 {"tensors", json::array()}};
  std::string data;
  for (const NamedTensor& named : model.weights) {
    const auto found = from.find(named.name);
    if (found == from.end() || found->second.sizes() != named.tensor.sizes())
      throw Error("tensor " + named.name + " is not in the base model, or has another shape there", base.path.string(),
                  "name the model that the training began with");
    const at::Tensor off = at::sub(named.tensor.to(at::kFloat), found->second).contiguous();
    const auto* values = off.const_data_ptr<float>();
    const auto count = static_cast<std::size_t>(off.numel());
    if (off.dim() < 2)
      for (std::size_t i = 0; i < count; ++i) append_half(data, values[i]);
    else
      append_matrix(data, values, count, options.bits);
    header["tensors"].push_back({{"name", named.name}, {"shape", off.sizes().vec()}});
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string all(reinterpret_cast<const char*>(&length), 8);
  all += text + data;
  fs::create_directories(folder);
  write_file_atomically(folder / kDifferenceFile, all);
  return all.size();
}

bool is_difference(const fs::path& folder) { return fs::exists(folder / kDifferenceFile); }

LoadedModel load_difference(const fs::path& folder) {
  const fs::path file = folder / kDifferenceFile;
  const Stored stored = read(file);
  try {
    const int bits = stored.header.at("bits").get<int>();
    if (bits < 2 || bits > 8) fail(file, "it says " + std::to_string(bits) + " bits an element");
    const auto name = stored.header.at("base").get<std::string>();
    LoadedModel model = load_model(find_model(name));
    if (const std::string sum = tensors_checksum(model.weights); sum != stored.header.at("base_tensors"))
      throw Error("the model \"" + name + "\" on this machine has other weights (" + sum + ") than the base of " +
                      "the difference (" + stored.header.at("base_tensors").get<std::string>() + ")",
                  model.path.string(), "scripts/setup.sh fetches smollm2-135m-instruct as it was");
    std::map<std::string, at::Tensor> weights;
    for (const NamedTensor& named : model.weights) weights[named.name] = named.tensor;
    std::size_t at = 0;
    for (const json& entry : stored.header.at("tensors")) {
      const auto shape = entry.at("shape").get<std::vector<std::int64_t>>();
      const auto found = weights.find(entry.at("name").get<std::string>());
      if (found == weights.end() || found->second.sizes() != at::IntArrayRef(shape))
        fail(file, "the base has no tensor " + entry.at("name").get<std::string>() + " of that shape");
      const auto count = static_cast<std::size_t>(found->second.numel());
      const std::size_t size = bytes_of(shape, count, bits);
      if (stored.bytes.size() - at < size) fail(file, "it is cut off");
      auto* values = found->second.mutable_data_ptr<float>();
      if (shape.size() < 2)
        for (std::size_t i = 0; i < count; ++i) values[i] += half_at(stored.bytes.data() + at + 2 * i);
      else
        add_matrix(stored.bytes.data() + at, values, count, bits);
      at += size;
    }
    if (at != stored.bytes.size()) fail(file, "it holds more than its header says");
    return model;
  } catch (const json::exception& error) {
    fail(file, error.what());
  }
}

}  // namespace kg::policy
