#include "dataset/benchmarks/suite.h"

#include "base/error.h"

namespace kg::dataset::benchmarks {
namespace {

constexpr Suite kSuites[] = {
    {.name = "npukernelbench",
     .title = "NPUKernelBench",
     .repository = "github.com/weich97/NPUKernelBench",
     .holds = "tasks/ and framework/",
     .keeps_apart = false,
     .most_bytes = 1024000000},
    // More than a sandbox takes (reward/judge_benchmark.cpp) is not worth drawing.
    {.name = "multikernelbench",
     .title = "MultiKernelBench",
     .repository = "github.com/wzzll123/MultiKernelBench",
     .holds = "reference/ and utils/",
     .keeps_apart = true,
     .most_bytes = 2130000000},
};

fs::path find_folder(const std::string& name, const char* file) {
  for (const fs::path& folder :
       {program_folder().parent_path() / "share/kgtrain" / name, fs::path(KG_BENCHMARK_SCRIPTS) / name})
    if (fs::exists(folder / file)) return folder;
  throw Error("no " + name + "/" + file, KG_BENCHMARK_SCRIPTS,
              "install kgtrain with cmake --install, or keep the source tree", Error::Kind::kEnvironment);
}

}  // namespace

const Suite& suite_named(const std::string& name) {
  for (const Suite& suite : kSuites)
    if (name == suite.name) return suite;
  throw Error("\"" + name + "\" is no benchmark that can be imported", "suite", "npukernelbench or multikernelbench");
}

fs::path script_folder(const Suite& suite) { return find_folder(suite.name, "worker.py"); }

fs::path shared_folder() { return find_folder("benchmarks", "serving.py"); }

}  // namespace kg::dataset::benchmarks
