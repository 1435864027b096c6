#include "dataset/store/writable_dataset.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/store/complete_index.h"
#include "dataset/store/merge.h"

namespace kg::dataset {
namespace {

constexpr std::uint64_t kFoldBytes = 16 << 20;     // journal size that triggers a fold
constexpr std::chrono::hours kKeepSuperseded{1};   // for readers that opened the file before a merge
constexpr std::uint64_t kSpareBytes = 64 << 20;    // disk space that a merge leaves free
constexpr std::uint64_t kMergeBytes = 1ULL << 30;  // at most: a close waits for a merge

void remove_file(const fs::path& path) {
  std::error_code ignored;  // a file that stays is found again at the next open
  fs::remove(path, ignored);
}

}  // namespace

WritableDataset::WritableDataset(const fs::path& path, OpenMode mode)
    : path_(path), folder_(folder_of(path)), fold_at_bytes_(kFoldBytes) {
  const bool exists = fs::exists(path);
  if (mode == OpenMode::kAppend && !exists) read_main_file(path);  // throws the Error with the reason
  if (mode == OpenMode::kCreate && exists)
    throw Error("the data set already exists", path.string(), "choose another name, or delete it and its folder");
  if (exists && !fs::exists(folder_)) read_main_file(path);  // no folder for something that is not a data set
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw Error("cannot make the folder: " + error.message(), folder_.string(), "check that its parent is writable",
                Error::Kind::kEnvironment);
  lock_.emplace(folder_ / "lock", "the data set " + path.string());
  // Only now, with the lock held, is the content final.
  std::optional<MainFile> main;
  if (fs::exists(path)) main = read_main_file(path);
  if (main && mode == OpenMode::kCreate)
    throw Error("the data set already exists", path.string(), "another process has just made it");
  const FolderListing listing = list_folder(folder_);
  const bool holds_data = !listing.segments.empty() || !listing.journals.empty();
  if (mode == OpenMode::kCreate && holds_data && !main)
    throw Error("the folder of a data set exists without its file", folder_.string(),
                "choose another name, or delete the folder");
  open_existing(std::move(main));
}

void WritableDataset::open_existing(std::optional<MainFile> main) {
  FolderListing listing = list_folder(folder_);
  for (const std::string& name : listing.leftovers) remove_file(folder_ / name);
  if (main && main->packed) take_in_packed_file(listing);
  if (main) {
    check_complete(*main, listing, path_);
    for (const std::string& line : main->complaints) spdlog::error("{}: {}", path_.parent_path().string(), line);
  }
  last_generation_ = listing.last_generation();
  folded_journals_ = listing.folded_journals;
  std::vector<std::string> names;
  for (const SegmentRange& range : listing.segments) {
    segments_.push_back(open_segment(folder_ / segment_file_name(range)));
    names.push_back(segment_file_name(range));
  }
  links_stale_ =
      !main || main->packed || main->needs_writing || main->segments != names || main->folder != folder_.filename();
  for (const std::uint64_t generation : listing.journals) {
    const auto journal = std::make_shared<Journal>(Journal::open(folder_ / journal_file_name(generation)));
    const std::vector<std::string> complaints = journal->complaints();
    for (const std::string& line : complaints) spdlog::error("{}: {}", folder_.string(), line);
    if (!complaints.empty())
      keep_damaged(generation);
    else if (journal->torn_bytes() > 0)
      spdlog::warn("{}: {} bytes of a write that was cut off before it was acknowledged are dropped",
                   (folder_ / journal_file_name(generation)).string(), journal->torn_bytes());
    fold_journal(journal);
  }
  merge_if_due();
  publish();
  remove_superseded();
  keys_.load(*view());
}

// Reports damage, and rebuilds the index if it is missing or damaged.
std::shared_ptr<const Segment> WritableDataset::open_segment(const fs::path& path) {
  auto segment = std::make_shared<const Segment>(path);
  for (const std::string& line : segment->complaints()) spdlog::error("{}: {}", folder_.string(), line);
  if (!segment->index_needs_writing() || !segment->index().lost.empty()) return segment;
  write_file_durably(index_path(path), write_index(complete_index(*segment)));
  return std::make_shared<const Segment>(path);
}

// Under a second name, before the fold removes the first: nothing is deleted that somebody could still read.
void WritableDataset::keep_damaged(std::uint64_t generation) {
  const fs::path kept = folder_ / damaged_journal_name(generation);
  std::error_code error;
  if (!fs::exists(kept)) fs::create_hard_link(folder_ / journal_file_name(generation), kept, error);
  if (error) fs::copy_file(folder_ / journal_file_name(generation), kept);
  fsync_folder(folder_);
  spdlog::error("{}: kept for inspection; its intact records are taken into the data set", kept.string());
}

// A packed file becomes the first segment of a folder: linked there under its name, then replaced by a file with links.
void WritableDataset::take_in_packed_file(FolderListing& listing) {
  const SegmentRange range = Segment(path_).range();
  const fs::path target = folder_ / segment_file_name(range);
  if (listing.segments.empty() && listing.journals.empty()) {
    std::error_code error;
    fs::create_hard_link(path_, target, error);
    if (error) {
      const fs::path temporary = target.string() + ".tmp" + std::to_string(::getpid());
      fs::copy_file(path_, temporary, fs::copy_options::overwrite_existing);
      fsync_file(temporary);
      fs::rename(temporary, target);
    }
    fsync_folder(folder_);
    listing = list_folder(folder_);
  }
  check_complete({.segments = {segment_file_name(range)}}, listing, path_);
}

WritableDataset::~WritableDataset() {
  try {
    fold();
  } catch (const std::exception& error) {
    spdlog::error("{}: {}; the records stay in the journal and are folded in at the next open", path_.string(),
                  error.what());
  }
}

std::size_t WritableDataset::append(const std::vector<proto::JournalRecord>& records) {
  const std::lock_guard lock(mutex_);
  std::vector<const proto::JournalRecord*> fresh;
  for (const proto::JournalRecord& record : records)
    if (keys_.add(record)) fresh.push_back(&record);
  if (fresh.empty()) return 0;
  try {
    if (!journal_) {
      journal_ = std::make_shared<Journal>(
          Journal::create(folder_ / journal_file_name(last_generation_ + 1), last_generation_ + 1));
      ++last_generation_;
    }
    journal_->append(fresh);
  } catch (...) {
    for (const proto::JournalRecord* record : fresh) keys_.remove(*record);
    throw;
  }
  view_.reset();
  if (journal_->bytes() >= fold_at_bytes_) {
    try {
      fold_locked();
    } catch (const Error& error) {
      // The records are acknowledged and safe in the journal: folding can wait for disk space.
      spdlog::warn("{}: cannot fold the journal yet: {}", path_.string(), error.what());
      fold_at_bytes_ *= 2;
    }
  }
  return fresh.size();
}

// Waits for merges that are due, but lets others append meanwhile.
void WritableDataset::fold() {
  std::unique_lock lock(mutex_);
  fold_locked();
  while (merge_.valid()) {
    const auto merge = merge_;
    lock.unlock();
    merge.wait();
    lock.lock();
    merge_if_due();
  }
  publish();
}

void WritableDataset::fold_locked() {
  if (journal_) {
    fold_journal(journal_);
    journal_.reset();
  }
  merge_if_due();
  publish();
  remove_superseded();
  fold_at_bytes_ = kFoldBytes;
}

void WritableDataset::fold_journal(const std::shared_ptr<Journal>& journal) {
  const SegmentRange range{.first = journal->generation(), .last = journal->generation(), .level = 0};
  std::uint64_t rows = 0;
  for (const Table table : kTables) rows += journal->rows(table);
  if (rows > 0) {
    const fs::path target = folder_ / segment_file_name(range);
    SegmentWriter writer = SegmentWriter::in_memory(range);
    copy_rows(View({}, {journal}), writer);
    writer.finish(target);
    segments_.push_back(std::make_shared<const Segment>(target));
    links_stale_ = true;
  }
  folded_journals_.push_back(journal->generation());
  view_.reset();
}

void WritableDataset::merge_if_due() {
  if (merge_.valid()) {
    if (merge_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    if (!take_merged()) return;  // the next fold tries again
  }
  std::vector<SegmentRange> ranges;
  for (const auto& segment : segments_) ranges.push_back(segment->range());
  if (const auto first = segments_to_merge(ranges); first && !damage_in_merge_) begin_merge(*first);
}

void WritableDataset::begin_merge(std::size_t first) {
  const auto begin = segments_.begin() + static_cast<std::ptrdiff_t>(first);
  const std::vector<std::shared_ptr<const Segment>> parts(begin, begin + kMergeWidth);
  std::uint64_t bytes = 0;
  for (const auto& part : parts) bytes += fs::file_size(folder_ / segment_file_name(part->range()));
  // A merge can wait for room, and need not be.
  if (bytes > kMergeBytes || free_disk_bytes(folder_) < 2 * bytes + kSpareBytes) return;
  merge_ = std::async(std::launch::async, [parts, folder = folder_] { return merged(parts, folder); });
}

bool WritableDataset::take_merged() {
  const auto merge = std::move(merge_);
  merge_ = {};
  try {
    const std::shared_ptr<const Segment>& made = merge.get();
    if (made == nullptr) {
      damage_in_merge_ = true;
      return false;
    }
    const auto is_part = [&](const auto& segment) { return made->range().contains(segment->range()); };
    const auto first = std::find_if(segments_.begin(), segments_.end(), is_part);
    *first = made;
    segments_.erase(std::remove_if(first + 1, segments_.end(), is_part), segments_.end());
    links_stale_ = true;
    view_.reset();
    return true;
  } catch (const Error& error) {
    spdlog::warn("{}: cannot merge segments yet: {}", path_.string(), error.what());
    return false;
  }
}

void WritableDataset::publish() {
  if (links_stale_) {
    write_link_file(path_, segments_);
    links_stale_ = false;
  }
  for (const std::uint64_t generation : folded_journals_) remove_file(folder_ / journal_file_name(generation));
  folded_journals_.clear();
}

void WritableDataset::remove_superseded() {
  for (const SegmentRange& old : list_folder(folder_).superseded) {
    for (const auto& segment : segments_) {
      if (!segment->range().contains(old)) continue;
      std::error_code error;
      const auto made = fs::last_write_time(folder_ / segment_file_name(segment->range()), error);
      if (error || fs::file_time_type::clock::now() - made <= kKeepSuperseded) continue;
      remove_file(folder_ / segment_file_name(old));
      remove_file(index_path(folder_ / segment_file_name(old)));
    }
  }
}

std::shared_ptr<const View> WritableDataset::view() const {
  const std::lock_guard lock(mutex_);
  if (!view_) {
    std::vector<std::shared_ptr<const Journal>> journals;
    if (journal_) journals.push_back(journal_);
    view_ = std::make_shared<const View>(segments_, std::move(journals));
  }
  return view_;
}

std::map<std::string, RolloutKeySet> WritableDataset::rollout_keys() const {
  const std::lock_guard lock(mutex_);
  return keys_.rollouts();
}

std::optional<std::uint64_t> WritableDataset::task_row(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return keys_.task_row(id);
}

}  // namespace kg::dataset
