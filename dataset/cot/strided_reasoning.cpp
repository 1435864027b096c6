#include "dataset/cot/strided_reasoning.h"

#include "dataset/cot/strided_form.h"
#include "dataset/cot/words.h"

namespace kg::dataset::cot {
namespace {

// "3 x 4 = 12, x 5 = 60": every product on the way, for a reader who cannot compute three factors at once.
std::string product(const std::vector<std::int64_t>& factors) {
  std::int64_t all = factors[0];
  std::string text = number(all);
  for (std::size_t i = 1; i < factors.size(); ++i) {
    all *= factors[i];
    text += (i == 1 ? " x " : ", x ") + number(factors[i]) + " = " + number(all);
  }
  return text;
}

// The tile, found in the same way as by strided_tile().
std::string tile_search(std::int64_t cores, std::int64_t length, std::int64_t tile) {
  std::string text;
  for (std::int64_t tried = kLeastTile;; tried *= 2) {
    text += (text.empty() ? "" : ", ") + number(cores) + " x " + number(tried) + " = " + number(cores * tried);
    if (tried >= tile)
      return text + (cores * tried < length ? " < " : " >= ") + number(length) + ", so L = " + number(tile) + ".";
    text += " < " + number(length);
  }
}

}  // namespace

std::string strided_reasoning(const Instance& instance, const Facts& facts) {
  const std::vector<std::int64_t> shape = inputs_of(instance)[0].shape;
  std::vector<std::string> sentences;
  if (by_rows(instance.structure->walk)) {
    sentences.push_back(instance.lead.empty() ? "R = 1" : "R = " + product(instance.lead));
    if (instance.structure->walk == Walk::kMatmul) sentences.back() += ", K = " + number(instance.inner);
    sentences.back() += ", C = " + number(instance.columns) + "; the longest tile has " + number(facts.longest) +
                        " bytes, S = " + number(facts.slot) + " floats.";
  } else if (instance.structure->walk == Walk::kColumns) {
    sentences.push_back("B = " + number(instance.inner) + ", C = " + number(instance.columns) + ": tiles of " +
                        number(strided_tile(instance)) + " columns.");
  } else {
    const std::int64_t length = input_elements(instance);
    sentences.push_back("N = " + product(shape) + ".");
    if (length > kLeastTile) sentences.push_back(tile_search(instance.cores, length, strided_tile(instance)));
  }
  const std::string type = type_name(instance.dtype);
  if (facts.casts) sentences.push_back(type + ": Cast to float, and back to store.");
  std::string plan;
  for (const std::string& step : facts.plan) plan += (plan.empty() ? "" : "; ") + step;
  if (!plan.empty()) sentences.push_back(plan + ".");
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

}  // namespace kg::dataset::cot
