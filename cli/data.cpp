#include <cstdio>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/foreign_content.h"
#include "base/options.h"
#include "base/terminal_line.h"
#include "cli/command.h"
#include "cli/data_commands.h"
#include "dataset/cot/build.h"
#include "dataset/cot/import_samples.h"
#include "dataset/store/content_hash.h"
#include "dataset/store/dataset.h"
#include "dataset/store/pack.h"
#include "dataset/store/summary.h"
#include "sandbox/isolation_option.h"

namespace kg::cli {
namespace {

using dataset::Dataset;
using dataset::OpenMode;

constexpr int kBadRecordsShown = 20;

void make_parent(const fs::path& file) {
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
}

}  // namespace

Options declare_build(dataset::cot::BuildOptions& build, std::string& out) {
  Options options("kgtrain data build",
                  "Makes synthetic tasks and Ascend-CoT samples; every kernel is judged before it is stored.");
  options.add("out", out, "data set to make or to continue; default: $KGTRAIN_HOME/data/ascend_cot.h5")
      .add("samples", build.samples, "number of samples to make")
      .range(0, 1e9)
      .add("seed", build.seed, "random seed; the same seed makes the same data set")
      .add("jobs", build.jobs, "number of sandboxes that judge at once; 0 = one per core")
      .range(0, 256)
      .add("ways", build.ways, "how many different kernels to write, run and rank for each task")
      .range(1, 15)
      .add("quiet", build.quiet, "no progress line")
      .add("part", build.part,
           "I/N: make only every N-th unit, and keep it in --units; a call with only --units joins the parts")
      .add("units", build.units, "folder for units that are made in parts");
  sandbox::declare_isolation(options, build.sandbox.allow_less_isolation);
  return options;
}

namespace {

int run_build(int argc, const char* const* argv) {
  dataset::cot::BuildOptions build;
  std::string out;
  Options options = declare_build(build, out);
  if (!options.parse(argc, argv)) return 0;
  if (!build.part.empty() && build.units.empty())
    throw Error("a part needs a folder of units", "--part " + build.part, "name it by --units FOLDER");
  build.out = out.empty() ? kgtrain_home() / "data" / "ascend_cot.h5" : fs::path(out);
  make_parent(build.out);
  const dataset::cot::BuildReport report = dataset::cot::run_build(build);
  for (const std::string& failure : report.failures) std::fprintf(stderr, "not correct: %s\n", failure.c_str());
  if (!build.part.empty()) {
    std::printf("part %s in %s: %llu samples; %llu kernels judged now, %zu not correct\n", build.part.c_str(),
                build.units.c_str(), static_cast<unsigned long long>(report.samples),
                static_cast<unsigned long long>(report.judged), report.failures.size());
    return report.failures.empty() ? 0 : 1;
  }
  std::printf("%s: %llu tasks, %llu samples; %llu kernels judged now, %llu duplicates left out, %zu not correct\n",
              build.out.c_str(), static_cast<unsigned long long>(report.tasks),
              static_cast<unsigned long long>(report.samples), static_cast<unsigned long long>(report.judged),
              static_cast<unsigned long long>(report.duplicates), report.failures.size());
  return report.failures.empty() ? 0 : 1;
}

// Refuse files that cannot hold samples before a data set is created for them.
void require_samples(const std::string& file) {
  std::error_code ignored;
  if (!fs::exists(file)) throw Error("there is no such file", file, "check the path");
  if (fs::is_directory(file))
    throw Error("expected a JSON file, found a folder", file, "name a file in it; several are imported one by one");
  std::ifstream in(file, std::ios::binary);
  std::string start(64, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  if (fs::is_regular_file(file, ignored) && start.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error("expected a JSON file, found an empty one", file, "check the path");
  if (start.starts_with("\x89HDF"))
    throw Error("it is an HDF5 file: a data set already, if kgtrain wrote it", file, "kgtrain data info describes it");
  if (const auto foreign = foreign_content(start); !foreign.empty())
    throw Error(std::string(foreign), file, kForeignContentHint);
}

int run_import(int argc, const char* const* argv) {
  std::string file, out = "ascend_cot.h5";
  Options options("kgtrain data import",
                  "Reads Ascend-CoT as published: a JSON list or JSON lines of {instruction, input, output}. May be "
                  "repeated: samples that are already in the data set are not stored again.");
  options.positional("FILE", file, "the JSON file").add("out", out, "data set to make or to add to");
  if (!options.parse(argc, argv)) return 0;
  require_samples(file);
  make_parent(out);
  const auto data = Dataset::open(out, OpenMode::kAppendOrCreate);
  int shown = 0;
  TerminalLine line;
  const auto report = dataset::cot::import_samples(
      file, *data,
      [&](const std::string& where, const std::string& what) {
        if (++shown <= kBadRecordsShown) line.keep(where + " " + what);
        if (shown == kBadRecordsShown) line.keep("further bad records are only counted");
      },
      [&](const dataset::cot::ImportProgress& progress) {
        if (progress.bytes_total > 0)
          line.draw(std::to_string(progress.records) + " records, " +
                    std::to_string(100 * progress.bytes / progress.bytes_total) + " %");
      });
  line.clear();
  data->fold();
  std::printf("%s: %llu records read, %llu stored, %llu already known, %llu bad\n", out.c_str(),
              static_cast<unsigned long long>(report.records), static_cast<unsigned long long>(report.stored),
              static_cast<unsigned long long>(report.known), static_cast<unsigned long long>(report.bad));
  if (report.bad == 0) return 0;
  if (report.stored + report.known == 0)
    throw Error("it contains no sample", file,
                "wanted: a JSON list, or JSON lines, of {\"instruction\", \"input\", \"output\"}");
  return static_cast<int>(Error::Kind::kUsage);
}

int run_info(int argc, const char* const* argv) {
  std::string name;
  bool hash = false;
  Options options("kgtrain data info",
                  "Describes a data set: what it holds, and how sizes, verdicts and rewards are distributed.");
  options.positional("FILE", name, "the data set")
      .add("hash", hash, "also print a hash of all tasks and samples; equal content gives equal hashes");
  if (!options.parse(argc, argv)) return 0;
  const fs::path path = dataset::find_dataset(name);
  const auto data = Dataset::open(path, OpenMode::kRead);
  std::printf("%s: %s", path.c_str(), dataset::describe(dataset::summarise(*data)).c_str());
  if (hash) std::printf("\ncontent %s\n", dataset::content_hash(*data).c_str());
  std::fflush(stdout);
  return print_damage(path) ? 1 : 0;
}

int run_pack(int argc, const char* const* argv) {
  std::string name, out;
  Options options("kgtrain data pack", "Packs a data set into one plain HDF5 file, for sending elsewhere.");
  options.positional("FILE", name, "the data set").add("out", out, "file to make").required();
  if (!options.parse(argc, argv)) return 0;
  const fs::path path = dataset::find_dataset(name);
  const dataset::PackReport report = dataset::pack(path, out);
  const dataset::Counts& counts = report.counts;
  std::printf("%s: %llu tasks, %llu samples, %llu rollouts, %llu preferences in %.1f MB\n", out.c_str(),
              static_cast<unsigned long long>(counts.tasks), static_cast<unsigned long long>(counts.samples),
              static_cast<unsigned long long>(counts.rollouts), static_cast<unsigned long long>(counts.preferences),
              static_cast<double>(fs::file_size(out)) / 1e6);
  std::fflush(stdout);
  const bool damaged = print_damage(path);
  if (report.unreadable > 0)
    std::fprintf(stderr, "%llu rows of %s cannot be read and are not in %s\n",
                 static_cast<unsigned long long>(report.unreadable), path.c_str(), out.c_str());
  return damaged || report.unreadable > 0 ? 1 : 0;
}

const std::vector<Command> kDataCommands = {
    {"build", "make synthetic tasks and Ascend-CoT samples", &run_build},
    {"modules", "make samples that are PyTorch modules", &run_data_modules},
    {"import", "read Ascend-CoT as published (JSON list or JSON lines)", &run_import},
    {"info", "describe a data set", &run_info},
    {"pack", "make one plain file of a data set", &run_pack},
    {"export", "write the samples as JSON lines, or as a folder for Hugging Face", &run_data_export},
    {"audit", "look for a benchmark's prompts and kernels in a data set", &run_data_audit},
    {"meaning", "look for programs that compute what a benchmark asks for", &run_data_meaning},
    {"show", "print samples chosen at random", &run_data_show},
    {"check", "judge stored kernels again", &run_data_check},
    {"repair", "repair a damaged data set", &run_data_repair},
};

}  // namespace

int run_data(int argc, const char* const* argv) { return run_one_of(kDataCommands, "kgtrain data", argc, argv); }

}  // namespace kg::cli
