#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/join.h"
#include "base/options.h"
#include "base/writable.h"
#include "cli/data_commands.h"
#include "dataset/cot/import_samples.h"
#include "dataset/store/dataset.h"

namespace kg::cli {
namespace {

using dataset::Dataset;

[[noreturn]] void cannot_write(const std::string& where) {
  throw Error("cannot write", where, "check that the folder exists and the disk has room", Error::Kind::kEnvironment);
}

// Imported samples may have other splits, so the data set determines which there are.
void require_split(const Dataset& data, const std::string& split) {
  if (split.empty()) return;
  std::set<std::string> splits;
  data.for_each_sample(
      [&](const proto::Sample& sample) { return splits.insert(sample.split()), !splits.contains(split); });
  if (splits.contains(split)) return;
  const bool unnamed = splits.erase("") > 0;
  std::vector<std::string> known(splits.begin(), splits.end());
  if (unnamed) known.emplace_back("(none)");
  throw Error("no sample of the split \"" + split + "\" in the data set", "--split",
              known.empty() ? "the data set has no samples" : "its samples are of: " + join(known));
}

// A folder that `datasets.load_dataset(DIR)` reads: a card with the configuration, and JSON lines for each split.
void export_huggingface(const Dataset& data, const fs::path& folder, const std::string& split) {
  fs::create_directories(folder / "data");
  std::map<std::string, std::unique_ptr<std::ofstream>> files;
  data.for_each_sample([&](const proto::Sample& sample) {
    const std::string which = sample.split().empty() ? "train" : sample.split();
    if (!split.empty() && which != split) return true;
    auto& file = files[which];
    if (!file) file = std::make_unique<std::ofstream>(folder / "data" / (which + ".jsonl"), std::ios::binary);
    *file << nlohmann::json{{"id", sample.id()},
                            {"task", sample.task()},
                            {"kind", sample.kind()},
                            {"style", sample.style()},
                            {"prompt_form", sample.prompt_form()},
                            {"instruction", sample.instruction()},
                            {"input", sample.input()},
                            {"output", sample.output()},
                            {"cycles", sample.cycles()},
                            {"provenance", sample.provenance()}}
                 .dump()
          << '\n';
    return static_cast<bool>(*file);
  });
  std::string card =
      "---\npretty_name: Ascend-CoT made by kgtrain\ntask_categories:\n- text-generation\nconfigs:\n- config_name: "
      "default\n  data_files:\n";
  for (auto& [name, file] : files) {
    file->flush();
    if (!*file) cannot_write(folder.string());
    card += "  - split: " + name + "\n    path: data/" + name + ".jsonl\n";
  }
  card +=
      "---\n\nSynthetic data, made with `kgtrain data build`: every kernel was compiled and run on the emulated NPU "
      "before it was stored; `provenance` says how.\n";
  write_file_durably(folder / "README.md", card);
}

}  // namespace

int run_data_export(int argc, const char* const* argv) {
  std::string name, out = "-", split, form = "jsonl";
  Options options(
      "kgtrain data export",
      "Writes the samples as published: JSON lines of {instruction, input, output}, or a folder for Hugging Face.");
  options.positional("FILE", name, "the data set")
      .add("out", out, "file to write, - for standard output; with --form huggingface a folder")
      .add("form", form, "jsonl, or huggingface: a folder that datasets.load_dataset reads")
      .choices({"jsonl", "huggingface"})
      .add("split", split, "only this split; empty: all");
  if (!options.parse(argc, argv)) return 0;
  const auto data = Dataset::open(dataset::find_dataset(name), dataset::OpenMode::kRead);
  require_split(*data, split);
  if (form == "huggingface") {
    if (out == "-") throw Error("expected a folder, got -", "--out", "name the folder to make: --out DIR");
    if (fs::exists(out) && !fs::is_directory(out))
      throw Error("expected a folder to write, found a file", out, "name another --out");
    export_huggingface(*data, out, split);
    return 0;
  }
  require_writable(out, "--out");
  std::ofstream file;
  if (out != "-") file.open(out, std::ios::binary);
  std::ostream& to = out == "-" ? std::cout : file;
  data->for_each_sample([&](const proto::Sample& sample) {
    if (split.empty() || sample.split() == split) to << dataset::cot::published_form(sample) << '\n';
    return static_cast<bool>(to);
  });
  to.flush();
  if (to) return 0;
  if (out != "-" && fs::is_regular_file(out)) fs::remove(out);  // a partial file could be mistaken for a complete one
  cannot_write(out);
}

}  // namespace kg::cli
