#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dataset/synthesis/text.h"
#include "dataset/synthesis/variant.h"

namespace kg::dataset {

// A sample to make: a training variant answered in a style, for a form of prompt.
struct PlannedSample {
  Variant variant;
  Style style = Style::kCompact;
  PromptForm form = PromptForm::kShort;
};

struct Plan {
  int shapes = 0;                 // of each structure and type
  std::vector<Variant> variants;  // every task, train and held-out
  std::vector<PlannedSample> samples;
};

std::vector<Style> styles_named(const std::string& name);             // "compact", "full", "both"
std::vector<PromptForm> prompt_forms_named(const std::string& name);  // "short", "npukernelbench", "both"

// What a build of so many samples holds. Two shapes of each structure and type, more only if the samples need more.
// Samples go around the structures, styles and forms in turn, in an order that the seed decides, so that any prefix is
// balanced. `families` narrows the structures, empty: all. Throws Error if there are not enough, or for an unknown
// family.
Plan plan_build(std::uint64_t samples, std::uint64_t seed, const std::vector<Style>& styles,
                const std::vector<PromptForm>& forms, const std::vector<std::string>& families = {});

std::string sample_id(const PlannedSample& planned);

}  // namespace kg::dataset
