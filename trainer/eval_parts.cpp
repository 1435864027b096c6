#include "trainer/eval_parts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/error.h"

namespace kg::trainer {
namespace {

constexpr std::size_t kAtOnce = 256;  // rollouts appended with one fsync

nlohmann::json read_json(const fs::path& file) {
  const auto json =
      fs::exists(file) ? nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false) : nlohmann::json();
  if (!json.is_object())
    throw Error("the part has no " + file.filename().string(), file.parent_path().string(),
                "finish it with the command that started it and --resume");
  return json;
}

struct Part {
  fs::path folder;
  nlohmann::json config;
  EvalPart part;
};

// Fields that must agree in all parts, besides the options.
void require_same(const Part& part, const nlohmann::json& config) {
  const auto differs = [&](const std::string& what, const nlohmann::json& found, const nlohmann::json& wanted) {
    if (found != wanted)
      throw Error("the part was made with another " + what + ": " + found.dump() + ", here " + wanted.dump(),
                  part.folder.string(), "make all parts with the same options, and use those options to join them");
  };
  for (const char* key : {"label", "reward", "judge_version", "language", "model_hash", "data"})
    differs(key, part.config.value(key, nlohmann::json()), config.value(key, nlohmann::json()));
  static const std::set<std::string> kFree{"part", "merge",   "out",     "resume", "dry-run",
                                           "json", "workers", "threads", "table"};
  for (const auto& [name, value] : config.at("options").items())
    if (!kFree.contains(name)) differs("--" + name, part.config.at("options").value(name, nlohmann::json()), value);
}

// Ordered by number; all of them, each finished.
std::map<std::size_t, Part> find_parts(const fs::path& folder, const nlohmann::json& config) {
  if (!fs::is_directory(folder))
    throw Error("there is no such folder of parts", folder.string(), "give --merge the folder that holds them");
  std::map<std::size_t, Part> parts;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory() || !fs::exists(entry.path() / "config.json")) continue;
    Part part{.folder = entry.path(), .config = read_json(entry.path() / "config.json"), .part = {}};
    part.part = parse_eval_part(part.config.at("options").value("part", ""));
    require_same(part, config);
    if (const std::string state = read_json(entry.path() / "status.json").value("state", ""); state != "finished")
      throw Error("the part has not finished: it is " + state, entry.path().string(), "wait for it, or continue it");
    if (count != 0 && part.part.count != count)
      throw Error("one part is one of " + std::to_string(part.part.count) + ", another one of " + std::to_string(count),
                  entry.path().string(), "remove what does not belong to this evaluation");
    count = part.part.count;
    if (!parts.emplace(part.part.index, part).second)
      throw Error("part " + std::to_string(part.part.index) + " exists twice", entry.path().string(), "remove one");
  }
  for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i)
    if (!parts.contains(i))
      throw Error("part " + std::to_string(i) + " of " + std::to_string(count) + " is missing", folder.string(),
                  "make it with --part " + std::to_string(i) + "/" + std::to_string(count));
  return parts;
}

}  // namespace

EvalPart parse_eval_part(const std::string& text) {
  if (text.empty()) return {};
  EvalPart part;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, part.index);
  const auto count = index.ec == std::errc() && index.ptr != end && *index.ptr == '/'
                         ? std::from_chars(index.ptr + 1, end, part.count)
                         : index;
  if (count.ec != std::errc() || count.ptr != end || index.ptr == end || part.index >= part.count)
    throw Error("--part got \"" + text + "\", wanted I/N with I from 0 to N-1", "kgtrain eval", "--part 0/4");
  return part;
}

std::string merge_parts(const fs::path& folder, const nlohmann::json& config, const std::string& run_id,
                        dataset::Dataset& data) {
  std::string weights;
  std::map<std::pair<std::uint64_t, std::uint32_t>, proto::Rollout> rollouts;  // by work and sample
  for (const auto& [index, part] : find_parts(folder, config)) {
    if (!fs::exists(part.folder / "eval.json")) continue;  // there were fewer tasks than parts
    const std::string hash = read_json(part.folder / "eval.json").at("record").value("weights_hash", "");
    if (!weights.empty() && hash != weights)
      throw Error("the part was made with weights " + hash + ", another with " + weights, part.folder.string(),
                  "make all parts with the same model");
    weights = hash;
    const std::string name = part.config.value("run_id", "");
    const auto answers = dataset::Dataset::open(part.folder / "answers.h5", dataset::OpenMode::kRead);
    answers->for_each_rollout([&](const proto::Rollout& rollout) {
      if (rollout.run() == name) rollouts[{rollout.work_id(), rollout.sample()}] = rollout;
      return true;
    });
  }
  std::set<std::pair<std::uint64_t, std::uint32_t>> known;
  data.for_each_rollout_of(run_id, 0, ~std::uint64_t{0}, [&](const proto::Rollout& rollout) {
    known.emplace(rollout.work_id(), rollout.sample());
    return true;
  });
  std::vector<proto::JournalRecord> records;
  const auto append = [&](std::size_t least) {
    if (records.size() < least) return;
    data.append(records);
    records.clear();
  };
  for (auto& [key, rollout] : rollouts) {
    if (known.contains(key)) continue;
    rollout.set_run(run_id);
    *records.emplace_back().mutable_rollout() = std::move(rollout);
    append(kAtOnce);
  }
  append(1);
  data.fold();
  return weights;
}

}  // namespace kg::trainer
