// Leaks that were planted are found, and kernels that have nothing to do with the data are not flagged. The benchmark's
// kernels are those of tests/integration and compositions that are held out; the data are kernels of training
// compositions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <sstream>

#include "base/random.h"
#include "base/text.h"
#include "dataset/cot/audit.h"
#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_style.h"
#include "dataset/cot/prompts.h"

namespace kg::dataset::cot {
namespace {

struct Kernel {
  std::string name, text;
};

// The first `count` after `skipped` ones.
std::vector<Kernel> generated(const std::string& split, std::size_t count, std::size_t skipped = 0) {
  std::vector<Kernel> kernels;
  for (const cot::Structure& structure : cot::structures(12000)) {
    if (structure.split != split || structure.nodes.size() < 2) continue;
    if (skipped > 0 && skipped-- > 0) continue;
    const cot::Instance instance = cot::instance_of(structure, 0);
    if (!cot::possible(instance) || cot::is_empty(instance)) continue;
    const auto styles = cot::styles_of(instance);
    const cot::LoweredKernel kernel = cot::lower_kernel(instance, styles[kernels.size() % styles.size()]);
    if (kernel.refusal.empty())
      kernels.push_back({structure.name, kernels.size() % 5 == 4 ? kernel.program : kernel.source});
    if (kernels.size() == count) break;
  }
  return kernels;
}

std::vector<Kernel> handwritten() {
  std::vector<Kernel> kernels;
  for (const AuditItem& item : read_audit_items(KG_SOURCE_DIR "/tests/integration/dsl_programs"))
    kernels.push_back({item.name, item.text});
  for (const AuditItem& item : read_audit_items(KG_SOURCE_DIR "/tests/integration/ascendc_kernels"))
    kernels.push_back({item.name, item.text});
  return kernels;
}

// Words, with everything between them kept.
std::string with_words(const std::string& text, const std::function<std::string(const std::string&)>& change) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    made += end > at ? change(text.substr(at, end - at)) : std::string(1, text[end++]);
    at = end;
  }
  return made;
}

// Names that the author chose: those of variables and tensors.
std::string renamed(const std::string& text) {
  return with_words(text, [&](const std::string& word) {
    const bool own = std::islower(static_cast<unsigned char>(word[0])) != 0 &&
                     (word.size() <= 3 || word.ends_with("Gm") || word.ends_with("Queue") || word.ends_with("Buf"));
    static const std::vector<std::string> language = {"for", "int", "if",  "in",  "max", "min", "exp", "log",
                                                      "sum", "abs", "sin", "cos", "erf", "pad", "ub",  "ln",
                                                      "len", "and", "or",  "not", "inf", "do",  "as"};
    return own && std::find(language.begin(), language.end(), word) == language.end() ? "other_" + word + "_name"
                                                                                      : word;
  });
}

std::string renumbered(const std::string& text) {
  return with_words(text, [](const std::string& word) {
    return word.find_first_not_of("0123456789") == std::string::npos
               ? std::to_string(std::stoull(word.substr(0, 9)) * 3 + 7)
               : word;
  });
}

// Neighbouring lines of one indentation that end a statement change places.
std::string reordered(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const bool marks = text.find(';') != std::string::npos;
  const auto movable = [&](const std::string& line) {
    return !line.empty() && (marks ? line.back() == ';' : line.find(" = ") != std::string::npos);
  };
  // Only what begins a statement: the end of a longer one, or the body of a head, stays where it is.
  const auto begins = [&](std::size_t i) {
    return !marks || i == 0 || lines[i - 1].empty() ||
           std::string(";{}:").find(lines[i - 1].back()) != std::string::npos;
  };
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (begins(i - 1) && movable(lines[i]) && movable(lines[i - 1]) &&
        lines[i].find_first_not_of(' ') == lines[i - 1].find_first_not_of(' ')) {
      std::swap(lines[i], lines[i - 1]);
      ++i;
    }
  std::string made;
  for (const std::string& line : lines) made += line + "\n";
  return made;
}

proto::JournalRecord sample_of(const std::string& id, const std::string& code) {
  proto::JournalRecord record;
  record.mutable_sample()->set_id(id);
  record.mutable_sample()->set_instruction("Write a kernel.");
  record.mutable_sample()->set_output("Cut the rows over the cores.\n```cpp\n" + code + "```");
  return record;
}

// Generated kernels of one draw, and planted ones.
std::unique_ptr<Dataset> data_with(const fs::path& folder, std::size_t draw, const std::vector<Kernel>& planted) {
  auto data = Dataset::open(folder / "data.h5", OpenMode::kCreate);
  std::vector<proto::JournalRecord> records;
  for (const Kernel& kernel : generated("train", 500, draw * 1000))
    records.push_back(sample_of("own/" + kernel.name, kernel.text));
  for (const Kernel& kernel : planted) records.push_back(sample_of("planted/" + kernel.name, kernel.text));
  data->append(records);
  return data;
}

// Draws that share nothing but the kernels written by hand, of which the one or the other half is planted. Measure and
// bounds were made with the first four (0 to 3) in view. Since celu, hardshrink and logsigmoid are drawn, 0 to 3 and 5
// flag none of the independent kernels, and 4 flags two that differ from a training kernel in one operator (swish.dsl
// is silu, the kernel beside it silu(x + a)).
class Audit : public ::testing::TestWithParam<std::size_t> {
 protected:
  TemporaryFolder folder_;
};

std::vector<AuditItem> items_of(const std::vector<Kernel>& kernels) {
  std::vector<AuditItem> items;
  for (const Kernel& kernel : kernels) items.push_back({kernel.name, kernel.text, /*is_code=*/true, ""});
  return items;
}

TEST_P(Audit, FindsFiftyPlantedLeaksAndFlagsNoneOfTwoHundredIndependentKernels) {
  std::vector<Kernel> benchmark = handwritten();
  ASSERT_GE(benchmark.size(), 50u);
  const std::vector<Kernel> heldout = generated("heldout", 160, GetParam() * 400);
  // Every other one of both kinds is planted, in four ways in turn; the rest has nothing to do with the data.
  std::vector<Kernel> planted, independent;
  const std::vector<std::function<std::string(const std::string&)>> ways = {
      [](const std::string& text) { return text; }, renamed, renumbered, reordered};
  const auto deal = [&](const std::vector<Kernel>& kernels, std::size_t every) {
    for (std::size_t i = 0; i < kernels.size(); ++i)
      (i % every == GetParam() % 2 && planted.size() < 50 ? planted : independent).push_back(kernels[i]);
  };
  deal(benchmark, 2);
  deal(heldout, 5);
  for (const Kernel& kernel : generated("heldout", 260, GetParam() * 400)) {
    if (independent.size() + planted.size() >= 250) break;
    const auto same = [&](const Kernel& each) { return each.name == kernel.name; };
    if (std::none_of(heldout.begin(), heldout.end(), same)) independent.push_back(kernel);
  }
  ASSERT_EQ(planted.size(), 50u);
  ASSERT_GE(independent.size(), 200u);
  std::vector<Kernel> changed;
  for (std::size_t i = 0; i < planted.size(); ++i)
    changed.push_back(
        {std::to_string(i % ways.size()) + " " + planted[i].name, ways[i % ways.size()](planted[i].text)});
  const auto data = data_with(folder_.path(), GetParam(), changed);

  const AuditReport found = audit(*data, items_of(planted), {});
  std::string missed;
  for (std::size_t i = 0; i < planted.size(); ++i) {
    const auto same = [&](const AuditFinding& each) { return each.item == planted[i].name; };
    if (std::none_of(found.findings.begin(), found.findings.end(), same)) missed += " " + changed[i].name;
  }
  EXPECT_EQ(missed, "");

  std::vector<Kernel> both = planted;
  both.insert(both.end(), independent.begin(), independent.end());
  const AuditReport whole = audit(*data, items_of(both), {});
  std::string flagged;
  for (const AuditFinding& finding : whole.findings)
    if (std::any_of(independent.begin(), independent.end(),
                    [&](const Kernel& each) { return each.name == finding.item; }))
      flagged += "\n" + finding.item + " as " + finding.sample + " " + std::to_string(finding.grams) + " " +
                 std::to_string(finding.structure);
  EXPECT_EQ(flagged, "");
  std::printf("%zu planted, %zu independent\n%s", planted.size(), independent.size(), audit_table(whole, {}).c_str());
}

TEST(AuditOfPrompts, FindsAPromptAndSaysWhichOperatorsAreShared) {
  const TemporaryFolder folder;
  const auto data = data_with(folder.path(), /*draw=*/0, {});
  proto::JournalRecord record;
  const std::string prompt =
      "Implement the fused bias dropout residual operator whose first input is a matrix of activations, whose second "
      "is a vector of biases, and whose third is a mask of bytes; the "
      "result is the sum of the first two where the mask is set, scaled by the keep probability, plus the residual "
      "that comes as the fourth input of the operator.";
  record.mutable_sample()->set_id("planted");
  record.mutable_sample()->set_instruction(prompt + " Use forty cores.");
  data->append({record});
  const AuditReport report =
      audit(*data,
            {{"bench/1", prompt, false, "BiasDropout"},
             {"bench/2", "Write something else entirely that nobody has ever seen in any data set of ours before today",
              false, ""}},
            {});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].item, "bench/1");
  EXPECT_EQ(report.findings[0].sample, "planted");
  EXPECT_EQ(report.findings[0].part, "prompt");
}

// $KG_AUDIT_DRAWS draws (default 1) from $KG_AUDIT_FIRST (default 5).
std::size_t number_of(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<std::size_t>(std::atoll(text));
}
INSTANTIATE_TEST_SUITE_P(Draws, Audit,
                         ::testing::Range(number_of("KG_AUDIT_FIRST", 5),
                                          number_of("KG_AUDIT_FIRST", 5) + number_of("KG_AUDIT_DRAWS", 1)));

}  // namespace
}  // namespace kg::dataset::cot
