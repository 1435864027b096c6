#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/file.h"
#include "dataset/cot/unit.h"

// A data set built in parts: each part makes every N-th unit and keeps it in a file, and the build that joins them
// takes units from there instead of making them. As a unit is a function of seed and index, and the joining build looks
// for duplicates among all of them in their order, the data set is that of one process.
namespace kg::dataset::cot {

// Of `--part I/N`. Throws Error for anything that is not I/N with I below N.
struct BuildPart {
  std::uint64_t index = 0, count = 1;
};
BuildPart parse_build_part(const std::string& text);

// FOLDER/part-I-of-N.units: what it was built with, then one unit after the other; appended, fsynced unit by unit. What
// a kill has torn off at the end is dropped.
class PartFile {
 public:
  // `built_with`: seed and the like, which all parts and the joining build must agree on.
  PartFile(const fs::path& folder, const BuildPart& part, const std::string& built_with);
  std::uint64_t units() const { return units_; }      // that it holds
  std::uint64_t samples() const { return samples_; }  // in them, duplicates included
  void append(std::uint64_t index, const Unit& unit);

 private:
  Descriptor file_;
  std::uint64_t units_ = 0, samples_ = 0;
};

// The units of all part files of a folder, by index; read when asked for. Thread-safe.
class UnitParts {
 public:
  // An empty path: none. Throws Error if a part was built with something else.
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
