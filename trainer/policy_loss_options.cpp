#include "trainer/policy_loss_options.h"

#include "base/error.h"

namespace kg::trainer {

Correction correction_from_name(const std::string& name) {
  if (name == "none") return Correction::kNone;
  if (name == "token") return Correction::kToken;
  if (name == "sequence") return Correction::kSequence;
  if (name == "token-mask") return Correction::kTokenMask;
  if (name == "sequence-mask") return Correction::kSequenceMask;
  throw Error("no correction is named \"" + name + "\"", "--correction",
              "none, token, sequence, token-mask or sequence-mask");
}

KlEstimator kl_estimator_from_name(const std::string& name) {
  if (name == "k1") return KlEstimator::k1;
  if (name == "k2") return KlEstimator::k2;
  if (name == "k3") return KlEstimator::k3;
  throw Error("no estimator of the divergence is named \"" + name + "\"", "--kl-estimator", "k1, k2 or k3");
}

}  // namespace kg::trainer
