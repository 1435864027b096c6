#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/file.h"
#include "dataset/cot/unit.h"

// A data set built in parts: each part makes every N-th unit and stores it in a file, and the joining build
// reads units from there instead of making them. As a unit is a function of seed and index, and that build checks
// for duplicates among all of them in order, the data set equals that of one process.
namespace kg::dataset::cot {

// For `--part I/N`. Throws Error unless the text is I/N with I below N.
struct BuildPart {
  std::uint64_t index = 0, count = 1;
};
BuildPart parse_build_part(const std::string& text);

// FOLDER/part-I-of-N.units: the build's options, then one unit after the other; appended, fsynced unit by unit. A torn
// end left by a kill is dropped.
class PartFile {
 public:
  // `built_with`: seed and other options that all parts and the joining build must agree on.
  PartFile(const fs::path& folder, const BuildPart& part, const std::string& built_with);
  std::uint64_t units() const { return units_; }      // number of units in it
  std::uint64_t samples() const { return samples_; }  // in these units, duplicates included
  void append(std::uint64_t index, const Unit& unit);

 private:
  Descriptor file_;
  std::uint64_t units_ = 0, samples_ = 0;
};

// The units of all part files of a folder, by index; read on request. Thread-safe.
class UnitParts {
 public:
  // An empty path: none. Throws Error if a part was built with other options.
  UnitParts(const fs::path& folder, const std::string& built_with);
  std::optional<Unit> find(std::uint64_t index) const;
  std::size_t size() const { return places_.size(); }

 private:
  struct Place {
    fs::path file;
    std::int64_t offset = 0;
  };
  std::map<std::uint64_t, Place> places_;
};

}  // namespace kg::dataset::cot
