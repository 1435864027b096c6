#include "npu/machine/faults.h"

#include <algorithm>
#include <utility>

namespace kg::npu {

void Faults::error(FaultClass fault_class, std::string message, int line, int core) {
  add(fault_class, proto::ERROR, std::move(message), line, core);
}

void Faults::warning(FaultClass fault_class, std::string message, int line, int core) {
  add(fault_class, proto::WARNING, std::move(message), line, core);
}

void Faults::doubtful(Doubt doubt, FaultClass fault_class, std::string message, int line, int core) {
  add(fault_class, proto::ERROR, std::move(message), line, core, doubt);
}

bool Faults::has(Doubt doubt) const {
  return std::any_of(doubts_.begin(), doubts_.end(), [&](const auto& one) { return one.second == doubt; });
}

void Faults::excuse(Doubt doubt) {
  for (const auto& [index, why] : doubts_)
    if (why == doubt) list_[index].set_severity(proto::WARNING);
}

Faults::Doubt Faults::doubt_of(std::size_t index) const {
  const auto found = doubts_.find(index);
  return found == doubts_.end() ? Doubt::kNone : found->second;
}

void Faults::add(FaultClass fault_class, proto::FaultSeverity severity, std::string message, int line, int core,
                 Doubt doubt) {
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (list_[i].line() != line || list_[i].severity() != severity || !has_class(list_[i], fault_class)) continue;
    const Doubt known = doubt_of(i);
    if (doubt != known && doubt != Doubt::kNone && known != Doubt::kNone) continue;
    if (doubt == Doubt::kNone) doubts_.erase(i);
    return;
  }
  // Warnings never push errors out.
  if (list_.size() >= kMostFaults && severity == proto::WARNING) return;
  if (list_.size() >= 2 * kMostFaults) return;
  proto::Fault fault;
  fault.set_fault_class(name_of(fault_class));
  fault.set_severity(severity);
  fault.set_message(std::move(message));
  fault.set_line(line);
  fault.set_core(core);
  if (doubt != Doubt::kNone) doubts_[list_.size()] = doubt;
  list_.push_back(std::move(fault));
}

}  // namespace kg::npu
