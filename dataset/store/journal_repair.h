#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "proto/record.pb.h"

namespace kg::dataset {

// What is left in a damaged journal beside its whole records.
struct JournalRest {
  std::vector<proto::JournalRecord> records;  // of which one bit had flipped, put right
  std::vector<std::string> lost;              // a sentence for each stretch of bytes that holds nothing readable
};

JournalRest rest_of_journal(const fs::path& path);

}  // namespace kg::dataset
