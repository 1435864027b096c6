#include "cli/eval_show.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/options.h"
#include "cli/eval_page.h"
#include "dataset/store/dataset.h"
#include "evaluation/stored_evaluation.h"
#include "evaluation/tables.h"

namespace kg::cli {
namespace {

evaluation::Tables::Against compare_with(const std::string& label, const dataset::Dataset& data,
                                         const std::vector<evaluation::JudgedAnswer>& ours,
                                         const std::optional<evaluation::TurnGain>& our_turns) {
  const evaluation::StoredEvaluation theirs = evaluation::stored_evaluation(data, label);
  evaluation::Tables::Against against = evaluation::compare(label, ours, theirs.answers);
  const auto their_turns = evaluation::turn_gain(data, label, theirs.run);
  if (our_turns && their_turns) against.last_turns = evaluation::compare_last_turns(*our_turns, *their_turns);
  return against;
}

}  // namespace

int run_eval_show(int argc, const char* const* argv) {
  std::string label, against, data_name = "ascend_cot.h5", html;
  bool json = false;
  Options options("kgtrain eval --show",
                  "Prints the tables of docs/guide/metrics.md for an evaluation whose answers a data set holds.");
  options.add("show", label, "label of the evaluation").required();
  options.add("data", data_name, "data set that holds the answers")
      .add("against", against, "label of another evaluation to compare with")
      .add("html", html, "write the tables as an HTML page")
      .add("json", json, "print the tables as JSON");
  if (!options.parse(argc, argv)) return 0;
  const fs::path path = dataset::find_dataset(data_name);
  const auto data = dataset::Dataset::open(path, dataset::OpenMode::kRead);
  const evaluation::StoredEvaluation stored = evaluation::stored_evaluation(*data, label);
  evaluation::Tables tables = evaluation::make_tables(label, stored.answers);
  tables.turns = evaluation::turn_gain(*data, label, stored.run);
  if (!against.empty()) tables.against = compare_with(against, *data, stored.answers, tables.turns);
  if (!html.empty())
    write_file_atomically(html, html_of(tables, {{"version", KG_VERSION}, {"data", path.string()}, {"label", label}}));
  if (json)
    std::printf("%s\n", json_of(tables).dump().c_str());
  else
    std::fputs(text_of(tables).c_str(), stdout);
  return 0;
}

}  // namespace kg::cli
