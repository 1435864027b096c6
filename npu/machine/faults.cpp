#include "npu/machine/faults.h"

#include <utility>

namespace kg::npu {

void Faults::error(FaultClass fault_class, std::string message, int line, int core) {
  add(fault_class, proto::ERROR, std::move(message), line, core);
}

void Faults::warning(FaultClass fault_class, std::string message, int line, int core) {
  add(fault_class, proto::WARNING, std::move(message), line, core);
}

void Faults::add(FaultClass fault_class, proto::FaultSeverity severity, std::string message, int line, int core) {
  for (const proto::Fault& known : list_)
    if (known.line() == line && known.severity() == severity && has_class(known, fault_class)) return;
  // Warnings never push errors out.
  if (list_.size() >= kMostFaults && severity == proto::WARNING) return;
  if (list_.size() >= 2 * kMostFaults) return;
  proto::Fault fault;
  fault.set_fault_class(name_of(fault_class));
  fault.set_severity(severity);
  fault.set_message(std::move(message));
  fault.set_line(line);
  fault.set_core(core);
  list_.push_back(std::move(fault));
}

}  // namespace kg::npu
