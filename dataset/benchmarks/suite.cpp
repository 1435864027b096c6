#include "dataset/benchmarks/suite.h"

#include "base/error.h"
#include "base/program_data.h"

namespace kg::dataset::benchmarks {
namespace {

constexpr Suite kSuites[] = {
    {.name = "npukernelbench",
     .title = "NPUKernelBench",
     .repository = "github.com/weich97/NPUKernelBench",
     .holds = "tasks/ and framework/",
     .keeps_apart = false,
     .most_bytes = 1024000000},
    // A case larger than a sandbox accepts (reward/imported_cases.cpp) is not worth drawing.
    {.name = "multikernelbench",
     .title = "MultiKernelBench",
     .repository = "github.com/wzzll123/MultiKernelBench",
     .holds = "reference/ and utils/",
     .keeps_apart = true,
     .most_bytes = 2130000000},
};

constexpr Suite kOwn = {
    .name = "own", .title = "own operator", .repository = "", .holds = "", .keeps_apart = false, .most_bytes = 8000000};

}  // namespace

const Suite& own_operators() { return kOwn; }

const Suite& suite_named(const std::string& name) {
  for (const Suite& suite : kSuites)
    if (name == suite.name) return suite;
  throw Error("\"" + name + "\" is not a benchmark that can be imported", "suite",
              "npukernelbench or multikernelbench");
}

fs::path script_folder(const Suite& suite) { return shared_folder() / suite.name; }

fs::path shared_folder() { return program_data("benchmarks", "dataset/benchmarks", "serving.py"); }

}  // namespace kg::dataset::benchmarks
