#include <cstdio>
#include <map>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/options.h"
#include "base/random.h"
#include "base/suggestion.h"
#include "cli/data_commands.h"
#include "dataset/store/dataset.h"

namespace kg::cli {
namespace {

// Code fences within the text must not end the one around it.
std::string fenced(const std::string& text) {
  return "````text\n" + text + (text.empty() || text.back() == '\n' ? "" : "\n") + "````\n";
}

}  // namespace

namespace {

[[noreturn]] void refuse_kind(const dataset::Dataset& data, const std::string& kind, const std::string& name) {
  std::set<std::string> kinds;
  data.for_each_sample([&](const proto::Sample& sample) { return kinds.insert(sample.kind()), true; });
  if (kinds.empty())
    throw Error("the data set has no samples", name, "kgtrain data build or kgtrain data import makes some");
  throw Error("the data set has no sample of the kind \"" + kind + "\"", "--kind",
              suggestion(kind, {kinds.begin(), kinds.end()}, "kinds", ""));
}

}  // namespace

int run_data_show(int argc, const char* const* argv) {
  std::string name, kind;
  std::uint64_t count = 10, seed = 1;
  Options options("kgtrain data show",
                  "Prints random samples as Markdown, one kind after the other, so that every kind appears.");
  options.positional("FILE", name, "the data set")
      .add("samples", count, "number of samples")
      .range(1, 1000000)
      .add("seed", seed, "random seed for the selection")
      .add("kind", kind,
           "only this kind: kernel, plan, repair, prediction, multi_turn, project, documentation, imported");
  if (!options.parse(argc, argv)) return 0;
  const auto data = dataset::Dataset::open(dataset::find_dataset(name), dataset::OpenMode::kRead);
  std::map<std::string, std::vector<std::uint64_t>> kinds;
  data->for_each_numbered_sample([&](std::uint64_t index, const proto::Sample& sample) {
    if (kind.empty() || sample.kind() == kind) kinds[sample.kind()].push_back(index);
    return true;
  });
  if (kinds.empty()) refuse_kind(*data, kind, name);
  Philox random(seed, 0x73686f77);
  for (std::uint64_t shown = 0; shown < count;) {
    const std::uint64_t before = shown;
    for (auto& [each, indices] : kinds) {
      if (indices.empty() || shown == count) continue;
      const std::size_t at = random.next_below(indices.size());
      const proto::Sample sample = data->sample(indices[at]);
      indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(at));
      std::printf("## %llu. %s, %s\n\n`%s`  \n%s\n\n**Instruction**\n\n%s\n", static_cast<unsigned long long>(++shown),
                  each.c_str(), sample.style().c_str(), sample.id().c_str(), sample.provenance().c_str(),
                  fenced(sample.instruction()).c_str());
      if (!sample.input().empty()) std::printf("**Input**\n\n%s\n", fenced(sample.input()).c_str());
      std::printf("**Output**\n\n%s\n", fenced(sample.output()).c_str());
    }
    if (shown == before) break;  // there are no more
  }
  return 0;
}

}  // namespace kg::cli
