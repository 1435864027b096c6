#pragma once

#include <span>
#include <string>
#include <string_view>

#include "proto/sandbox.pb.h"

namespace kg::proto {

// What can be wrong with a program that was compiled. A message (Fault.fault_class), a stored verdict and
// `kgtrain judge --json` hold the name; docs/reference/faults.md lists the names.
enum class FaultClass {
  kUb,
  kQueue,
  kSynchronisation,
  kMemory,
  kGm,
  kCache,
  kArgument,
  kScalar,
  kAssert,
  kTrap,
  kLimit,
  kHost,
  kModule,
  kNumbers,
  kSecondLook,
};

struct FaultClassRow {
  FaultClass fault_class;
  const char* name;      // a format: stored verdicts hold it
  const char* found_by;  // the part of the program that reports it
  const char* severity;  // "error", "warning", or both
  const char* sentence;
};

// One row for each class, in the order of the enumeration.
std::span<const FaultClassRow> fault_classes();

const char* name_of(FaultClass fault_class);
bool is_fault_class(std::string_view name);
bool has_class(const Fault& fault, FaultClass fault_class);

// docs/reference/faults.md.
std::string faults_page();

}  // namespace kg::proto
