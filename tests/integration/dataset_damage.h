#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/dataset.h"

// A data set with one merged segment, one folded one and a journal that a killed writer left, and damage done to it.
namespace kg::dataset {

// Every row that can be read, by its key: serialised.
using Rows = std::map<std::string, std::string>;
Rows rows_of(const Dataset& data);
// The keys that only one has, or that differ: empty for equal rows.
std::vector<std::string> difference(const Rows& a, const Rows& b);

class DamagedSet {
 public:
  DamagedSet();

  const fs::path& path() const { return path_; }
  const Rows& rows() const { return rows_; }  // before any damage
  // The files that hold anything: the one with the links, segments, indexes, the journal.
  const std::vector<fs::path>& files() const { return files_; }
  const std::string& bytes(const fs::path& file) const { return bytes_.at(file); }  // before any damage

  // Keys of the rows that may be lost where these bytes of a file are damaged; to the end if `size` is 0.
  std::set<std::string> hit_by(const fs::path& file, std::uint64_t offset, std::uint64_t size) const;
  // Whether anything at all is stored there: a journal has zeroes behind its last record.
  bool is_used(const fs::path& file, std::uint64_t offset) const;
  void restore();  // everything as it was

 private:
  struct Stretch {
    std::uint64_t begin, end;
    std::set<std::string> keys;
  };
  void note_segments();
  void note_journal();

  TemporaryFolder folder_;
  fs::path path_;
  Rows rows_;
  std::vector<fs::path> files_;
  std::map<fs::path, std::string> bytes_;
  std::map<fs::path, std::vector<Stretch>> stretches_;
};

// Flips single bits and cuts off files, `flips` and `cuts` times, drawn with `seed`. After each, the set must open and
// read; what is lost must be hit; nothing else may differ; and the damage must be told. Every `repair_each`th is
// repaired, which must lose nothing that could be read, and leave nothing to tell.
struct FuzzCount {
  int done = 0, with_loss = 0, refused = 0, repaired = 0, lost_after_repair = 0, flips_put_right = 0;
};
FuzzCount fuzz(int flips, int cuts, std::uint64_t seed, int repair_each);

}  // namespace kg::dataset
