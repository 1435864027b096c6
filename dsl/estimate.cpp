#include "dsl/estimate.h"

#include <algorithm>
#include <string>
#include <vector>

#include "dsl/bank_layout.h"
#include "dsl/initialise.h"
#include "dsl/refusal.h"
#include "npu/chip.h"

namespace kg::dsl {
namespace {

namespace chip = npu::chip;

// The memory that all cores share, in round numbers: a tile size is not chosen by the fourth digit.
constexpr double kGmBytes = static_cast<int>(chip::kGmBytesPerCycle);
constexpr double kGmCopy = static_cast<int>(10 * chip::kSharedCopy) / 10.0;
constexpr double kVectorStart = chip::kVectorStart;
constexpr double kScalarWait = 60;  // for a number that the vector unit computes

double vector_cycles(const Form& form, const BankLayout& layout, const Step& step) {
  double bytes = static_cast<double>(element_bytes(form.tile(step.result).dtype));
  for (const int source : step.sources)
    bytes = std::max(bytes, static_cast<double>(element_bytes(form.tile(source).dtype)));
  const double elements = static_cast<double>(step.elements), repeats = elements * bytes / chip::kRepeatBytes;
  const std::string& op = step.op;
  if (op == "Gather") return kVectorStart + elements / chip::kGatherElements;
  if (op == "Exp" || op == "Ln" || op == "Sqrt" || op == "Div") return kVectorStart + elements / chip::kSlowElements;
  if (op.starts_with("Reduce")) return 3 * kVectorStart + repeats * chip::kReduceCycles;
  if (op.starts_with("Cumulative")) return 24 * kVectorStart + elements;
  if (!step.scratch.empty()) return 20 * (kVectorStart + repeats);
  return kVectorStart + repeats * layout.conflict(step);
}

struct Pipe {
  double total = 0, turns = 0;
  void add(double cycles, double count) {
    total += cycles * count;
    turns = std::max(turns, count);
  }
  double once() const { return turns > 0 ? total / turns : 0; }
};

}  // namespace

double estimated_cycles(const Form& form) {
  const BankLayout layout(form);
  std::vector<double> trips = {1};
  Pipe in, out, vector;
  double waits = 0, bytes_moved = 0, copies = 0;
  for (const Step& step : form.steps) {
    const double count = trips.back();
    switch (step.kind) {
      case Step::Kind::kFor:
        trips.push_back(count * step.trips);
        break;
      case Step::Kind::kIf:
        trips.push_back(count);
        break;
      case Step::Kind::kEnd:
        trips.pop_back();
        break;
      case Step::Kind::kCopyIn:
      case Step::Kind::kCopyOut: {
        const Tile& tile = form.tile(step.copy.tile);
        const double bytes = static_cast<double>(tile.capacity * element_bytes(tile.dtype));
        (step.kind == Step::Kind::kCopyIn ? in : out).add(chip::kMoveStart + bytes / chip::kMoveBytesPerCycle, count);
        bytes_moved += bytes * count;
        copies += count;
        break;
      }
      case Step::Kind::kVector:
        vector.add(vector_cycles(form, layout, step), count);
        break;
      case Step::Kind::kScalar:
        waits += step.waits ? count * kScalarWait : 0;
        break;
      default:
        break;
    }
  }
  const double shared = (bytes_moved / kGmBytes + copies * kGmCopy) * form.checked.cores;
  const double busiest = std::max({in.total, out.total, vector.total, shared});
  return busiest + in.once() + chip::kMoveInLatency + out.once() + vector.total / std::max({1.0, in.turns, out.turns}) +
         waits;
}

std::optional<Estimate> estimate_placed(Form form) {
  try {
    initialise(form);
  } catch (const Refusal&) {
    return std::nullopt;
  }
  return Estimate{.cycles = estimated_cycles(form), .ub_bytes = form.ub_bytes};
}

}  // namespace kg::dsl
