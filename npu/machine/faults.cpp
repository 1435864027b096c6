#include "npu/machine/faults.h"

#include <utility>

namespace kg::npu {

void Faults::error(FaultClass fault_class, std::string message, int line, int core) {
  add(fault_class, proto::ERROR, std::move(message), line, core);
}

void Faults::warning(FaultClass fault_class, std::string message, int line, int core) {
  add(fault_class, proto::WARNING, std::move(message), line, core);
}

void Faults::race(FaultClass fault_class, std::string message, int line, int core) {
  add(fault_class, proto::ERROR, std::move(message), line, core, /*is_race=*/true);
}

void Faults::excuse_races() {
  for (const std::size_t index : races_) list_[index].set_severity(proto::WARNING);
}

void Faults::add(FaultClass fault_class, proto::FaultSeverity severity, std::string message, int line, int core,
                 bool is_race) {
  for (std::size_t i = 0; i < list_.size(); ++i)
    if (list_[i].line() == line && list_[i].severity() == severity && has_class(list_[i], fault_class) &&
        this->is_race(i) == is_race)
      return;
  // Warnings never push errors out.
  if (list_.size() >= kMostFaults && severity == proto::WARNING) return;
  if (list_.size() >= 2 * kMostFaults) return;
  proto::Fault fault;
  fault.set_fault_class(name_of(fault_class));
  fault.set_severity(severity);
  fault.set_message(std::move(message));
  fault.set_line(line);
  fault.set_core(core);
  if (is_race) races_.insert(list_.size());
  list_.push_back(std::move(fault));
}

}  // namespace kg::npu
