#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "proto/record.pb.h"

namespace kg::dataset {

// What can be recovered from a damaged journal besides its intact records.
struct JournalRest {
  std::vector<proto::JournalRecord> records;  // records with one flipped bit, corrected
  std::vector<std::string> lost;              // one sentence for each stretch of unreadable bytes
};

JournalRest rest_of_journal(const fs::path& path);

}  // namespace kg::dataset
