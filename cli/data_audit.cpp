#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/options.h"
#include "cli/data_commands.h"
#include "dataset/cot/audit.h"

namespace kg::cli {

int run_data_audit(int argc, const char* const* argv) {
  std::string name, against, out;
  dataset::cot::AuditOptions bounds;
  int most = 0;
  Options options("kgtrain data audit",
                  "Looks for the prompts and kernels of a benchmark in a data set: equal runs of 13 words, and equal "
                  "structure once names and numbers "
                  "are gone. Exits with status 1 if it finds more than --most.");
  options.positional("FILE", name, "the data set")
      .add("against", against, "the benchmark: a data set, JSON lines, source files, or a folder of them")
      .required()
      .add("out", out, "where the report is stored as JSON; default: beside the data set, FILE.audit.json")
      .add("gram-bound", bounds.gram_bound,
           "a prompt counts as found at this fraction of shared 13-word runs, weighted by rarity")
      .range(0.01, 1.01)
      .add("code-gram-bound", bounds.code_gram_bound, "the same for code, as a fraction of shared 13-word runs")
      .range(0.01, 1.01)
      .add("structure-bound", bounds.structure_bound,
           "the same for the similarity of statements without names and numbers")
      .range(0.01, 1.01)
      .add("most", most, "number of findings allowed")
      .range(0, 1e9);
  if (!options.parse(argc, argv)) return 0;
  const fs::path path = dataset::find_dataset(name);
  const auto data = dataset::Dataset::open(path, dataset::OpenMode::kRead);
  const dataset::cot::AuditReport report =
      dataset::cot::audit(*data, dataset::cot::read_audit_items(dataset::find_dataset(against)), bounds);
  std::fputs(dataset::cot::audit_table(report, bounds).c_str(), stdout);
  nlohmann::json stored = {{"data", path.string()},
                           {"against", against},
                           {"items", report.items},
                           {"texts", report.texts},
                           {"gram_bound", bounds.gram_bound},
                           {"code_gram_bound", bounds.code_gram_bound},
                           {"structure_bound", bounds.structure_bound},
                           {"shared_operators", report.shared_operators},
                           {"findings", nlohmann::json::array()}};
  for (const auto& found : report.findings)
    stored["findings"].push_back({{"item", found.item},
                                  {"sample", found.sample},
                                  {"part", found.part},
                                  {"grams", found.grams},
                                  {"structure", found.structure}});
  const fs::path file = out.empty() ? fs::path(path.string() + ".audit.json") : fs::path(out);
  write_file_durably(file, stored.dump(1) + "\n");
  std::printf("stored in %s\n", file.c_str());
  return report.findings.size() <= static_cast<std::size_t>(most) ? 0 : 1;
}

}  // namespace kg::cli
