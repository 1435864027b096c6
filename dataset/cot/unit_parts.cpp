#include "dataset/cot/unit_parts.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "proto/frame.h"

namespace kg::dataset::cot {
namespace {

constexpr const char* kBuiltWith = "cot part of";
constexpr const char* kUnit = "cot unit";

proto::JournalRecord meta(const std::string& key, const std::string& value) {
  proto::JournalRecord record;
  record.mutable_meta()->set_key(key);
  record.mutable_meta()->set_value(value);
  return record;
}

// False at the end, whether complete or torn.
bool read_record(int file, proto::JournalRecord& record) {
  record.Clear();
  try {
    return proto::read_framed(file, record);
  } catch (const Error&) {
    return false;
  }
}

// A unit's first record, and the offset of the complete unit.
struct Head {
  std::uint64_t index = 0;
  int judged = 0, tasks = 0, samples = 0;
  std::vector<std::string> failures;
};

Head head_of(const proto::JournalRecord& record) {
  const auto json = nlohmann::json::parse(record.meta().value());
  return {.index = json.at("index"),
          .judged = json.at("judged"),
          .tasks = json.at("tasks"),
          .samples = json.at("samples"),
          .failures = json.at("failures")};
}

// Its tasks and samples; nothing if the file ends before.
std::optional<Unit> read_rest(int file, const Head& head) {
  Unit unit{.tasks = {}, .samples = {}, .failures = head.failures, .judged = head.judged};
  proto::JournalRecord record;
  for (int i = 0; i < head.tasks + head.samples; ++i) {
    if (!read_record(file, record)) return std::nullopt;
    if (record.has_task())
      unit.tasks.push_back(std::move(*record.mutable_task()));
    else
      unit.samples.push_back(std::move(*record.mutable_sample()));
  }
  return unit;
}

// Calls `visit` for each complete unit, with the offset at which it begins. Returns where the last one ends.
std::int64_t read_units(int file, const fs::path& path, const std::string& built_with,
                        const std::function<void(std::int64_t, const Head&, const Unit&)>& visit) {
  proto::JournalRecord record;
  if (!read_record(file, record)) return 0;
  if (!record.has_meta() || record.meta().key() != kBuiltWith || record.meta().value() != built_with)
    throw Error("the part was built with " + record.meta().value() + ", not " + built_with, path.string(),
                "give the same --seed, --ways and kgtrain to all parts, or another --units");
  std::int64_t end = ::lseek(file, 0, SEEK_CUR);
  for (std::int64_t begin = end; read_record(file, record); begin = end) {
    const Head head = head_of(record);
    const auto unit = read_rest(file, head);
    if (!unit) break;
    end = ::lseek(file, 0, SEEK_CUR);
    visit(begin, head, *unit);
  }
  return end;
}

Descriptor opened(const fs::path& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!file.open())
    throw Error(std::string("cannot open the part: ") + std::strerror(errno), path.string(),
                "check that the folder is there and writable", Error::Kind::kEnvironment);
  return file;
}

}  // namespace

BuildPart parse_build_part(const std::string& text) {
  BuildPart part;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, part.index);
  const auto count = index.ec == std::errc() && index.ptr != end && *index.ptr == '/'
                         ? std::from_chars(index.ptr + 1, end, part.count)
                         : index;
  if (count.ec != std::errc() || count.ptr != end || index.ptr == end || part.index >= part.count)
    throw Error("--part got \"" + text + "\", wanted I/N with I from 0 to N-1", "kgtrain data build", "--part 0/4");
  return part;
}

PartFile::PartFile(const fs::path& folder, const BuildPart& part, const std::string& built_with) {
  fs::create_directories(folder);
  const fs::path path =
      folder / ("part-" + std::to_string(part.index) + "-of-" + std::to_string(part.count) + ".units");
  file_ = opened(path, O_RDWR | O_CREAT);
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0)
    throw Error("another process builds this part", path.string(), "wait for it, or end it");
  const std::int64_t end =
      read_units(file_.number(), path, built_with, [&](std::int64_t, const Head& head, const Unit&) {
        ++units_;
        samples_ += static_cast<std::uint64_t>(head.samples);
      });
  if (::ftruncate(file_.number(), end) != 0 || ::lseek(file_.number(), end, SEEK_SET) < 0)
    throw Error(std::string("cannot cut the part: ") + std::strerror(errno), path.string(), "check the disk");
  if (end == 0) proto::write_framed(file_.number(), meta(kBuiltWith, built_with));
}

void PartFile::append(std::uint64_t index, const Unit& unit) {
  const nlohmann::json head{{"index", index},
                            {"judged", unit.judged},
                            {"tasks", unit.tasks.size()},
                            {"samples", unit.samples.size()},
                            {"failures", unit.failures}};
  proto::write_framed(file_.number(), meta(kUnit, head.dump()));
  proto::JournalRecord record;
  for (const proto::Task& task : unit.tasks) {
    *record.mutable_task() = task;
    proto::write_framed(file_.number(), record);
  }
  for (const proto::Sample& sample : unit.samples) {
    *record.mutable_sample() = sample;
    proto::write_framed(file_.number(), record);
  }
  ::fdatasync(file_.number());
  ++units_;
  samples_ += unit.samples.size();
}

UnitParts::UnitParts(const fs::path& folder, const std::string& built_with) {
  if (folder.empty()) return;
  if (!fs::is_directory(folder))
    throw Error("there is no such folder of parts", folder.string(), "give --units the folder that holds them");
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".units") continue;
    const Descriptor file = opened(entry.path(), O_RDONLY);
    read_units(file.number(), entry.path(), built_with,
               [&](std::int64_t begin, const Head& head, const Unit&) { places_[head.index] = {entry.path(), begin}; });
  }
}

std::optional<Unit> UnitParts::find(std::uint64_t index) const {
  const auto place = places_.find(index);
  if (place == places_.end()) return std::nullopt;
  const Descriptor file = opened(place->second.file, O_RDONLY);
  ::lseek(file.number(), place->second.offset, SEEK_SET);
  proto::JournalRecord record;
  if (!read_record(file.number(), record)) return std::nullopt;
  return read_rest(file.number(), head_of(record));
}

}  // namespace kg::dataset::cot
