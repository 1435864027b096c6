#pragma once

#include <string>

#include "proto/fault_class.h"
#include "proto/sandbox.pb.h"

namespace kg::proto {

// Appends a fault of no line and no core to what has a list of faults: a result, a plan, a verdict.
template <typename Result>
void add_fault(Result& result, FaultClass fault_class, const std::string& message, FaultSeverity severity = ERROR) {
  Fault& fault = *result.add_faults();
  fault.set_fault_class(name_of(fault_class));
  fault.set_severity(severity);
  fault.set_message(message);
  fault.set_core(-1);
}

}  // namespace kg::proto
