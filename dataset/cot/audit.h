#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/dataset.h"

namespace kg::dataset::cot {

// A benchmark's text that must not be in the data.
struct AuditItem {
  std::string name;      // "level1/Activation/Gelu", "file.jsonl:7"
  std::string text;      // prompt with code blocks, or code
  bool is_code = false;  // the whole text is code
  std::string op_name;   // empty: none
};

struct AuditOptions {
  double gram_bound = 0.6;        // for a prompt: weighted share of its 13-grams in a single sample
  double code_gram_bound = 0.85;  // the same for code, where many runs are common
  double structure_bound = 0.99;  // similarity of statements without names and numbers, by weight and by number
};

struct AuditFinding {
  std::string item, sample;
  std::string part;  // "prompt" or "code"
  double grams = 0, structure = 0;
  bool by_grams = false, by_structure = false;
};

struct AuditReport {
  std::uint64_t items = 0, samples = 0, texts = 0;
  std::vector<AuditFinding> findings;  // the worst finding for each item over a bound
  std::vector<double> highest_grams, highest_code_grams, highest_structure;  // for each item with that part
  std::vector<std::string> shared_operators;  // benchmark operators for which there is a task of the same name
};

// A data set (tasks' prompts, samples), JSON or JSON lines ({instruction, input, output} or {prompt, kernel}), or
// source files: a file, or a folder of them.
std::vector<AuditItem> read_audit_items(const fs::path& path);

// Compares every text of the data with every item. Rare runs and statements count more than common ones. Two passes
// over the data; memory is proportional to the benchmark.
AuditReport audit(const Dataset& data, const std::vector<AuditItem>& items, const AuditOptions& options);

std::string audit_table(const AuditReport& report, const AuditOptions& options);

}  // namespace kg::dataset::cot
