// Mutants that behave as their parents do on the device too, one by one with the reason.

#include "ascendc_mutants.h"

namespace kg::sandbox::ascendc::testing {
namespace {

struct Equivalent {
  const char* parent;
  const char* what;  // beginning of it
  const char* why;
};
constexpr Equivalent kEquivalent[] = {
    {"MaskBeyondTheTypeIsClipped", "wrong mask", "the mask is above what the type takes either way, and clipped"},
};

}  // namespace

const char* why_equivalent(const Body& parent, const Mutation& mutation) {
  // A vector core's compiler orders vector instructions; the barrier orders nothing else.
  if (parent.cores == Cores::kVector && mutation.what == "dropped barrier: PipeBarrier<PIPE_V>()")
    return "vector instructions wait for each other without it";
  for (const Equivalent& known : kEquivalent)
    if (parent.name == std::string(known.parent) && mutation.what.rfind(known.what, 0) == 0) return known.why;
  return nullptr;
}

}  // namespace kg::sandbox::ascendc::testing
