#pragma once

#include <string>

#include "proto/record.pb.h"

namespace kg::dataset {

inline proto::JournalRecord meta_record(const std::string& key, const std::string& value) {
  proto::JournalRecord record;
  record.mutable_meta()->set_key(key);
  record.mutable_meta()->set_value(value);
  return record;
}

}  // namespace kg::dataset
