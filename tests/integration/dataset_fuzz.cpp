#include "base/error.h"
#include "base/random.h"
#include "dataset/store/folder.h"
#include "dataset/store/parts.h"
#include "dataset/store/record_key.h"
#include "dataset/store/repair.h"
#include "dataset/store/segment_damage.h"
#include "dataset/store/view.h"
#include "tests/integration/dataset_damage.h"

namespace kg::dataset {
namespace {

// What can be read of a data set and what is told of its damage, by the parts that every reader opens. Parts whose
// files are as they were are not read again.
class PartReader {
 public:
  explicit PartReader(fs::path path) : path_(std::move(path)) {}

  // `changed`: the one file that is not as it was; empty: any may be another.
  void read(const fs::path& changed, Rows& rows, std::vector<std::string>& told) {
    const Parts parts = open_parts(path_);
    told = parts.complaints();
    for (const auto& segment : parts.segments) {
      const fs::path& file = segment->path();
      const bool is_known = !changed.empty() && file != changed && index_path(file) != changed && known_.contains(file);
      const Rows fresh = is_known ? Rows{} : rows_in(View({segment}, {}));
      const Rows& here = is_known ? known_.at(file) : fresh;
      rows.insert(here.begin(), here.end());
      if (is_known) continue;
      for (std::string& line : describe(*segment, examine(*segment))) told.push_back(std::move(line));
    }
    rows.merge(rows_in(View({}, parts.journals)));
  }
  void remember() {
    for (const auto& segment : open_parts(path_).segments) known_[segment->path()] = rows_in(View({segment}, {}));
  }

 private:
  static Rows rows_in(const View& view) {
    Rows rows;
    for (const Table table : kTables)
      view.for_each(table, [&](const proto::JournalRecord& record) {
        const auto& row = message_of(record);
        if (table != Table::kMeta) rows[record_key(table, row)] = row.SerializeAsString();
        return true;
      });
    return rows;
  }

  fs::path path_;
  std::map<fs::path, Rows> known_;
};

class Fuzzer {
 public:
  Fuzzer(std::uint64_t seed, int repair_each) : random_(seed, 77), repair_each_(repair_each) { reader_.remember(); }

  void run(int flips, int cuts) {
    for (int i = 0; i < flips + cuts && !testing::Test::HasFailure(); ++i) {
      const fs::path& file = set_.files()[random_.next_below(set_.files().size())];
      std::string bytes = set_.bytes(file);
      std::set<std::string> hit;
      std::string what = file.filename().string();
      bool must_be_told = true;
      if (i % (flips + cuts) < flips) {
        std::uint64_t limit = bytes.size();
        if (file == set_.files().back()) limit = std::min<std::uint64_t>(limit, bytes.find_last_not_of('\0') + 200);
        const std::uint64_t bit = random_.next_below(limit * 8);
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        hit = set_.hit_by(file, bit / 8, 1);
        must_be_told = set_.is_used(file, bit / 8);
        what += ": bit " + std::to_string(bit);
      } else {
        const std::uint64_t size = random_.next_below(bytes.size());
        bytes.resize(size);
        hit = set_.hit_by(file, size, 0);
        what += ": cut off at " + std::to_string(size);
      }
      write_file_atomically(file, bytes);
      const Rows left = look(file, what, hit, must_be_told);
      if (i % repair_each_ == 0) repair_it(what, hit, left, i % (flips + cuts) < flips);
      if (i % repair_each_ == 0)
        set_.restore();
      else
        write_file_atomically(file, set_.bytes(file));
      ++count.done;
    }
  }

  FuzzCount count;

 private:
  void expect_only_hit_lost(const std::string& what, const std::set<std::string>& hit, const Rows& left) {
    for (const auto& [key, row] : set_.rows()) {
      const auto found = left.find(key);
      if (found == left.end()) {
        EXPECT_TRUE(hit.contains(key)) << what << ": " << key << " is lost";
      } else {
        EXPECT_TRUE(found->second == row) << what << ": " << key << " is another";
      }
    }
    for (const auto& [key, row] : left) EXPECT_TRUE(set_.rows().contains(key)) << what << ": " << key << " is new";
  }
  Rows look(const fs::path& file, const std::string& what, const std::set<std::string>& hit, bool must_be_told) {
    Rows left;
    try {
      std::vector<std::string> told;
      reader_.read(file, left, told);
      expect_only_hit_lost(what, hit, left);
      EXPECT_TRUE(!told.empty() || !must_be_told) << what << ": nothing is said";
      EXPECT_TRUE(!told.empty() || left == set_.rows()) << what << ": a silent loss";
    } catch (const Error& error) {
      ADD_FAILURE() << what << ": does not open: " << error.full_message();
      ++count.refused;
    }
    count.with_loss += left != set_.rows();
    return left;
  }
  void repair_it(const std::string& what, const std::set<std::string>& hit, const Rows& left, bool is_flip) {
    try {
      const RepairReport report = repair(set_.path());
      Rows now;
      std::vector<std::string> told;
      reader_.read("", now, told);
      expect_only_hit_lost(what + ", repaired", hit, now);
      for (const auto& [key, row] : left) EXPECT_TRUE(now.contains(key)) << what << ": the repair lost " << key;
      EXPECT_TRUE(list_folder(folder_of(set_.path())).damaged.empty()) << what;
      for (const std::string& line : told) ADD_FAILURE() << what << ", repaired: " << line;
      if (now != set_.rows()) {
        EXPECT_FALSE(report.lost.empty()) << what << ": the repair says that nothing is lost";
        ++count.lost_after_repair;
        EXPECT_FALSE(is_flip) << what << ": a single bit is not put right";
      } else {
        count.flips_put_right += is_flip && left != set_.rows();
      }
      ++count.repaired;
    } catch (const Error& error) {
      ADD_FAILURE() << what << ", repaired: " << error.full_message();
    }
  }

  DamagedSet set_;
  PartReader reader_{set_.path()};
  Philox random_;
  int repair_each_;
};

}  // namespace

FuzzCount fuzz(int flips, int cuts, std::uint64_t seed, int repair_each) {
  Fuzzer fuzzer(seed, repair_each);
  fuzzer.run(flips, cuts);
  return fuzzer.count;
}

}  // namespace kg::dataset
