#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "policy/files/policy_version.h"
#include "policy/model/model.h"

namespace kg::policy {

// Safetensors: 8 bytes little-endian length of a JSON header, the header ({"name": {"dtype", "shape",
// "data_offsets"}}), the data. Reads F32, F16 and BF16. The tensors alias a private map of the file: pages are shared
// with every process that reads it until written to. The file must not be changed in place meanwhile (kgtrain writes a
// new one and renames it).
std::vector<NamedTensor> read_safetensors(const std::filesystem::path& file);

// Checksum of one tensor's name and bytes; the checksum of several tensors is the sum of theirs.
std::uint64_t tensor_checksum(std::string_view name, std::string_view bytes);
std::string checksum_text(std::uint64_t sum);  // 16 hex digits

// Tensors in `dtype` (a floating type); data begins at a multiple of 64 bytes. Written to a temporary name and renamed.
// The checksums are computed while writing.
WrittenTensors write_safetensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors,
                                 at::ScalarType dtype);

}  // namespace kg::policy
