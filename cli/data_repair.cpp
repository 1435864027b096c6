#include <cstdio>

#include "base/options.h"
#include "cli/data_commands.h"
#include "dataset/store/damage.h"
#include "dataset/store/dataset.h"
#include "dataset/store/repair.h"

namespace kg::cli {
namespace {

constexpr std::size_t kLostShown = 50;

}  // namespace

bool print_damage(const fs::path& data) {
  const std::vector<std::string> lines = dataset::damage_of(data);
  for (const std::string& line : lines) std::fprintf(stderr, "damaged: %s\n", line.c_str());
  if (!lines.empty()) std::fprintf(stderr, "kgtrain data repair %s saves what can be read\n", data.c_str());
  return !lines.empty();
}

int run_data_repair(int argc, const char* const* argv) {
  std::string name;
  Options options("kgtrain data repair",
                  "Repairs a damaged data set: corrects single flipped bits, rewrites damaged parts from what can be "
                  "read, and says what is lost. Deletes nothing: files that it replaces go to a folder \"damaged\". "
                  "Exit status 1: something is lost.");
  options.positional("FILE", name, "the data set");
  if (!options.parse(argc, argv)) return 0;
  const fs::path path = dataset::find_dataset(name);
  const dataset::RepairReport report = dataset::repair(path);
  for (const std::string& line : report.done) std::printf("%s\n", line.c_str());
  for (std::size_t i = 0; i < report.lost.size() && i < kLostShown; ++i)
    std::printf("lost: %s\n", report.lost[i].c_str());
  if (report.lost.size() > kLostShown) std::printf("and %zu more\n", report.lost.size() - kLostShown);
  if (report.done.empty() && report.lost.empty()) {
    std::printf("%s: nothing to repair\n", path.c_str());
    return 0;
  }
  std::printf("%s: %llu records saved, %zu lost\n", path.c_str(), static_cast<unsigned long long>(report.saved),
              report.lost.size());
  if (!report.kept.empty())
    std::printf("the replaced files are in %s: delete them when you no longer need them\n", report.kept.c_str());
  return report.lost.empty() ? 0 : 1;
}

}  // namespace kg::cli
