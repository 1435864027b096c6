#include "dataset/cot/audit.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "dataset/cot/code_shape.h"
#include "dataset/store/json_records.h"

namespace kg::dataset::cot {
namespace {

// The least that an item must have for a likeness to mean anything.
constexpr std::size_t kFewestGrams = 12, kFewestStatements = 3;

struct Part {
  std::size_t item = 0;
  bool is_code = false;
  TextShape shape;
  double gram_weight = 0, statement_weight = 0;
  double grams = 0, structure = 0;  // highest so far
  std::string by;                   // sample of the highest
};

std::vector<Part> parts_of(const std::vector<AuditItem>& items) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].is_code) {
      parts.push_back({.item = i, .is_code = true, .shape = code_shape(items[i].text), .by = {}});
      continue;
    }
    const Blocks blocks = blocks_of(items[i].text);
    parts.push_back({.item = i, .is_code = false, .shape = prose_shape(blocks.prose), .by = {}});
    for (const std::string& code : blocks.code)
      parts.push_back({.item = i, .is_code = true, .shape = code_shape(code), .by = {}});
  }
  return parts;
}

// Frequencies of the benchmark's items: in how many texts of the benchmark and of the data each occurs.
using Frequencies = std::unordered_map<std::uint64_t, std::uint32_t>;

void for_each_text(const Dataset& data,
                   const std::function<void(const std::string& name, const std::string& text)>& visit) {
  data.for_each_task([&](const proto::Task& task) {
    visit(task.id(), task.prompt_short() + "\n" + task.prompt_npukernelbench());
    return true;
  });
  data.for_each_sample([&](const proto::Sample& sample) {
    visit(sample.id(), sample.instruction() + "\n" + sample.input() + "\n" + sample.output());
    return true;
  });
}

struct Index {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> parts;  // texts that contain it
};

std::vector<std::uint64_t> distinct(std::vector<std::uint64_t> sorted) {
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

void count(Frequencies& frequencies, const std::vector<std::uint64_t>& found) {
  for (const std::uint64_t each : found)
    if (const auto at = frequencies.find(each); at != frequencies.end()) ++at->second;
}

double weight(double times, double texts) {
  return std::max(0.02, std::log((texts + 2) / (times + 1)) / std::log(texts + 2));
}

double weight(const Frequencies& frequencies, std::uint64_t what, double texts) {
  const auto found = frequencies.find(what);
  return weight(found == frequencies.end() ? 1.0 : found->second, texts);
}

class Auditor {
 public:
  Auditor(const std::vector<AuditItem>& items) : parts_(parts_of(items)) {
    for (std::uint32_t p = 0; p < parts_.size(); ++p) {
      for (const std::uint64_t gram : parts_[p].shape.grams) {
        ++gram_frequency_[gram];
        gram_index_.parts[gram].push_back(p);
      }
      for (const std::uint64_t statement : distinct(parts_[p].shape.statements)) {
        ++statement_frequency_[statement];
        statement_index_.parts[statement].push_back(p);
      }
    }
    texts_ = static_cast<double>(parts_.size());
  }

  void learn(const std::string& text) {
    const Blocks blocks = blocks_of(text);
    count(gram_frequency_, prose_shape(blocks.prose).grams);
    for (const std::string& code : blocks.code) {
      const TextShape shape = code_shape(code);
      count(gram_frequency_, shape.grams);
      count(statement_frequency_, distinct(shape.statements));
      for (const std::uint64_t each : distinct(shape.statements)) ++own_[each % own_.size()];
    }
    texts_ += 1 + static_cast<double>(blocks.code.size());
  }

  void weigh() {
    for (Part& part : parts_) {
      for (const std::uint64_t gram : part.shape.grams) part.gram_weight += weight(gram_frequency_, gram, texts_);
      for (const std::uint64_t each : part.shape.statements)
        part.statement_weight += weight(statement_frequency_, each, texts_);
    }
  }

  void compare(const std::string& name, const std::string& text) {
    const Blocks blocks = blocks_of(text);
    match(name, prose_shape(blocks.prose));
    for (const std::string& code : blocks.code) match(name, code_shape(code));
  }

  std::vector<Part>& parts() { return parts_; }

 private:
  void match(const std::string& name, const TextShape& shape) {
    std::map<std::uint32_t, double> grams, statements, counts;
    for (const std::uint64_t gram : shape.grams)
      if (const auto found = gram_index_.parts.find(gram); found != gram_index_.parts.end())
        for (const std::uint32_t p : found->second) grams[p] += weight(gram_frequency_, gram, texts_);
    for (const auto& [p, common] : grams) {
      Part& part = parts_[p];
      if (part.shape.grams.size() < kFewestGrams) continue;
      const double share = common / part.gram_weight;
      if (share > part.grams) {
        part.grams = share;
        if (share > part.structure) part.by = name;
      }
    }
    double own = 0;  // weight of this text's statements
    for (const std::uint64_t each : shape.statements) own += own_weight(each);
    for (std::size_t at = 0; at < shape.statements.size();) {
      std::size_t end = at;
      while (end < shape.statements.size() && shape.statements[end] == shape.statements[at]) ++end;
      if (const auto found = statement_index_.parts.find(shape.statements[at]); found != statement_index_.parts.end())
        for (const std::uint32_t p : found->second) {
          const auto [first, last] = std::equal_range(parts_[p].shape.statements.begin(),
                                                      parts_[p].shape.statements.end(), shape.statements[at]);
          const auto both =
              static_cast<double>(std::min<std::ptrdiff_t>(last - first, static_cast<std::ptrdiff_t>(end - at)));
          statements[p] += both * weight(statement_frequency_, shape.statements[at], texts_);
          counts[p] += both;
        }
      at = end;
    }
    for (const auto& [p, common] : statements) {
      Part& part = parts_[p];
      if (part.shape.statements.size() < kFewestStatements) continue;
      // By weight and by number: by weight alone, kernels of one skeleton with a few other common calls would be alike.
      const auto most = static_cast<double>(std::max(part.shape.statements.size(), shape.statements.size()));
      const double likeness = std::min(common / std::max(part.statement_weight, own), counts[p] / most);
      if (likeness > part.structure) {
        part.structure = likeness;
        if (likeness > part.grams) part.by = name;
      }
    }
  }

  double own_weight(std::uint64_t statement) const {
    if (statement_frequency_.contains(statement)) return weight(statement_frequency_, statement, texts_);
    return weight(own_[statement % own_.size()], texts_);
  }

  std::vector<Part> parts_;
  Frequencies gram_frequency_, statement_frequency_;
  std::vector<std::uint32_t> own_ =
      std::vector<std::uint32_t>(1 << 20);  // counts for all statements of the data, by hash: rarely too high
  Index gram_index_, statement_index_;
  double texts_ = 0;
};

std::string lower(std::string text) {
  std::string made;
  for (const char c : text)
    if (c != '_') made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> endings = {".cpp", ".cce", ".h", ".hpp", ".cc", ".dsl", ".py"};
  return endings.contains(path.extension().string());
}

}  // namespace

AuditReport audit(const Dataset& data, const std::vector<AuditItem>& items, const AuditOptions& options) {
  AuditReport report{.items = items.size(), .samples = data.counts().samples};
  Auditor auditor(items);
  for_each_text(data, [&](const std::string&, const std::string& text) {
    auditor.learn(text);
    ++report.texts;
  });
  auditor.weigh();
  for_each_text(data, [&](const std::string& name, const std::string& text) { auditor.compare(name, text); });
  for (const Part& part : auditor.parts()) {
    const bool by_grams = part.grams >= (part.is_code ? options.code_gram_bound : options.gram_bound),
               by_structure = part.structure >= options.structure_bound;
    (part.is_code ? report.highest_code_grams : report.highest_grams).push_back(part.grams);
    if (part.is_code) report.highest_structure.push_back(part.structure);
    if (by_grams || by_structure)
      report.findings.push_back({items[part.item].name, part.by, part.is_code ? "code" : "prompt", part.grams,
                                 part.structure, by_grams, by_structure});
  }
  std::set<std::string> operators, shared;
  data.for_each_task([&](const proto::Task& task) {
    for (const proto::GraphNode& node : task.graph().nodes()) operators.insert(lower(node.op()));
    return true;
  });
  for (const AuditItem& item : items)
    if (!item.op_name.empty() && operators.contains(lower(item.op_name))) shared.insert(item.op_name);
  report.shared_operators.assign(shared.begin(), shared.end());
  return report;
}

std::vector<AuditItem> read_audit_items(const fs::path& path) {
  std::vector<AuditItem> items;
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file() && is_source(entry.path()))
        items.push_back(
            {entry.path().lexically_relative(path).string(), read_file(entry.path()), /*is_code=*/true, ""});
    std::sort(items.begin(), items.end(), [](const AuditItem& a, const AuditItem& b) { return a.name < b.name; });
  } else if (!fs::exists(path)) {
    throw Error("there is no such file", path.string(), "--against takes a data set, JSON lines, or source files");
  } else if (path.extension() == ".h5") {
    const auto data = Dataset::open(path, OpenMode::kRead);
    data->for_each_task([&](const proto::Task& task) {
      items.push_back({task.id(), task.prompt_short() + "\n" + task.prompt_npukernelbench(), false, task.op_name()});
      for (int c = 0; c < task.cases_size(); ++c)
        if (!task.cases(c).prompt_kernel_only().empty())
          items.push_back({task.id() + "#" + std::to_string(c), task.cases(c).prompt_kernel_only(), false, ""});
      return true;
    });
    data->for_each_sample([&](const proto::Sample& sample) {
      items.push_back({sample.id(), sample.instruction() + "\n" + sample.input() + "\n" + sample.output(), false, ""});
      return true;
    });
  } else if (is_source(path)) {
    items.push_back({path.filename().string(), read_file(path), true, ""});
  } else {
    std::ifstream in(path, std::ios::binary);
    JsonRecordReader records(in, path.string());
    while (const auto record = records.next()) {
      const auto object = nlohmann::json::parse(record->text, nullptr, /*allow_exceptions=*/false);
      const std::string where = path.filename().string() + ":" + std::to_string(record->line);
      if (!object.is_object()) throw Error("not a JSON object", where, "one object a line, or a list of them");
      std::string prose;
      for (const char* key : {"instruction", "input", "output", "prompt"})
        if (object.contains(key) && object[key].is_string()) prose += object[key].get<std::string>() + "\n";
      if (!prose.empty()) items.push_back({where, prose, false, object.value("op_name", "")});
      if (object.contains("kernel") && object["kernel"].is_string())
        items.push_back({where, object["kernel"].get<std::string>(), true, object.value("op_name", "")});
    }
  }
  if (items.empty())
    throw Error("nothing to compare with", path.string(), "--against takes a data set, JSON lines, or source files");
  return items;
}

}  // namespace kg::dataset::cot
