#include "dataset/synthesis/plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/options.h"
#include "base/random.h"
#include "dataset/synthesis/builtin_tasks.h"
#include "dataset/synthesis/families.h"

namespace kg::dataset {
namespace {

constexpr int kFewestShapes = 2;  // one friendly, one with a tail

template <typename T>
void shuffle(std::vector<T>& items, Philox& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.next_below(i)]);
}

// The first variant of every structure, then the second of every structure, ...
std::vector<Variant> around_structures(const std::vector<Variant>& variants, Philox& random) {
  std::map<std::string, std::vector<Variant>> by_structure;
  std::vector<std::string> names;
  for (const Variant& variant : variants) {
    auto& of_structure = by_structure[variant.structure->name];
    if (of_structure.empty()) names.push_back(variant.structure->name);
    of_structure.push_back(variant);
  }
  for (const std::string& name : names) shuffle(by_structure[name], random);
  std::vector<Variant> ordered;
  for (std::size_t round = 0; ordered.size() < variants.size(); ++round) {
    shuffle(names, random);
    for (const std::string& name : names)
      if (round < by_structure[name].size()) ordered.push_back(by_structure[name][round]);
  }
  return ordered;
}

void check_families(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Family& family : families()) known.push_back(family.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest_name(name, known);
    throw Error("unknown family of operators \"" + name + "\"", "--family",
                near.empty() ? "kgtrain tasks list shows them: builtin/FAMILY/..." : "did you mean \"" + near + "\"?");
  }
}

std::vector<Variant> variants_of(const std::vector<std::string>& families, int shapes) {
  std::vector<Variant> variants = builtin_variants(shapes);
  std::erase_if(variants, [&](const Variant& variant) {
    return !families.empty() &&
           std::find(families.begin(), families.end(), variant.structure->family) == families.end();
  });
  return variants;
}

std::vector<Variant> training_variants(const std::vector<Variant>& variants) {
  std::vector<Variant> training;
  std::copy_if(variants.begin(), variants.end(), std::back_inserter(training),
               [](const Variant& variant) { return variant.structure->split == "train"; });
  return training;
}

}  // namespace

std::vector<Style> styles_named(const std::string& name) {
  if (name == "both") return {Style::kCompact, Style::kFull};
  for (const Style style : {Style::kCompact, Style::kFull})
    if (name == style_name(style)) return {style};
  throw Error("unknown style \"" + name + "\"", "--style", "compact, full or both");
}

std::vector<PromptForm> prompt_forms_named(const std::string& name) {
  if (name == "both") return {PromptForm::kShort, PromptForm::kNpuKernelBench};
  for (const PromptForm form : {PromptForm::kShort, PromptForm::kNpuKernelBench})
    if (name == prompt_form_name(form)) return {form};
  throw Error("unknown form of prompt \"" + name + "\"", "--prompt", "short, npukernelbench or both");
}

Plan plan_build(std::uint64_t samples, std::uint64_t seed, const std::vector<Style>& styles,
                const std::vector<PromptForm>& forms, const std::vector<std::string>& families) {
  check_families(families);
  std::vector<std::pair<Style, PromptForm>> kinds;
  for (const Style style : styles)
    for (const PromptForm form : forms) kinds.emplace_back(style, form);
  Plan plan;
  std::vector<Variant> training;
  for (plan.shapes = kFewestShapes; plan.shapes <= kMostShapes; plan.shapes *= 2) {
    plan.variants = variants_of(families, plan.shapes);
    training = training_variants(plan.variants);
    if (training.size() * kinds.size() >= samples) break;
  }
  const std::uint64_t possible = training.size() * kinds.size();
  if (possible < samples)
    throw Error(
        std::to_string(samples) + " samples are wanted, the built-in tasks make at most " + std::to_string(possible),
        "--samples", "ask for fewer, or for both styles and forms of prompt");
  Philox random(seed, /*stream=*/0x6b677461736b73);
  const std::vector<Variant> ordered = around_structures(training, random);
  for (std::size_t turn = 0; turn < kinds.size(); ++turn)
    for (std::size_t i = 0; i < ordered.size() && plan.samples.size() < samples; ++i) {
      const auto& [style, form] = kinds[(i + turn) % kinds.size()];
      plan.samples.push_back({ordered[i], style, form});
    }
  return plan;
}

std::string sample_id(const PlannedSample& planned) {
  return task_id(planned.variant) + "/" + style_name(planned.style) + "/" + prompt_form_name(planned.form);
}

}  // namespace kg::dataset
