#include "trainer/preference_loss.h"

#include <cmath>

#include "base/error.h"

namespace kg::trainer {
namespace {

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double minus_log_sigmoid(double x) { return x >= 0 ? std::log1p(std::exp(-x)) : -x + std::log1p(std::exp(x)); }

}  // namespace

PreferenceLoss preference_loss_from_name(const std::string& name) {
  if (name == "dpo") return PreferenceLoss::kDpo;
  if (name == "ipo") return PreferenceLoss::kIpo;
  if (name == "kto") return PreferenceLoss::kKto;
  throw Error("no preference loss is named \"" + name + "\"", "--loss", "dpo, ipo or kto");
}

PreferenceFactors preference_factors(const AnswerLogProb& chosen, const AnswerLogProb& rejected, double kl,
                                     const PreferenceOptions& options) {
  const double beta = options.beta;
  const double good = chosen.policy - chosen.reference, bad = rejected.policy - rejected.reference;
  const auto good_tokens = static_cast<double>(chosen.tokens), bad_tokens = static_cast<double>(rejected.tokens);
  PreferenceFactors result{.margin = good - bad};
  switch (options.loss) {
    case PreferenceLoss::kDpo:
      result.loss = minus_log_sigmoid(beta * result.margin);
      result.chosen = -beta * sigmoid(-beta * result.margin);
      result.rejected = -result.chosen;
      break;
    case PreferenceLoss::kIpo: {
      const double distance = good / good_tokens - bad / bad_tokens - 1 / (2 * beta);
      result.loss = distance * distance;
      result.chosen = 2 * distance / good_tokens;
      result.rejected = -2 * distance / bad_tokens;
      break;
    }
    case PreferenceLoss::kKto: {
      const double liked = sigmoid(beta * (good - kl)), disliked = sigmoid(beta * (kl - bad));
      result.loss = options.desirable_weight * (1 - liked) + options.undesirable_weight * (1 - disliked);
      result.chosen = -options.desirable_weight * beta * liked * (1 - liked);
      result.rejected = options.undesirable_weight * beta * disliked * (1 - disliked);
      break;
    }
  }
  result.loss += options.likelihood_weight * -chosen.policy / good_tokens;
  result.chosen -= options.likelihood_weight / good_tokens;
  return result;
}

}  // namespace kg::trainer
