#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/file.h"
#include "dataset/store/dataset.h"

namespace kg::dataset::cot {

struct ImportReport {
  std::uint64_t records = 0;  // in the file
  std::uint64_t stored = 0;
  std::uint64_t known = 0;  // equal to a sample already in the data set
  std::uint64_t bad = 0;
};

struct ImportProgress {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0, bytes_total = 0;
};

// Reads the published Ascend-CoT form, {instruction, input, output} in a JSON list or in JSON lines, into `data`, with
// one record in memory. A sample's id is the hash of its text, so a second import, or one after a kill,
// stores nothing twice. `on_bad` gets place and reason of each record that is not stored.
ImportReport import_samples(const fs::path& file, Dataset& data,
                            const std::function<void(const std::string& where, const std::string& what)>& on_bad,
                            const std::function<void(const ImportProgress&)>& on_progress);

// One sample as a JSON object of the published form, without a line break.
std::string published_form(const proto::Sample& sample);

}  // namespace kg::dataset::cot
