#pragma once

#include <array>
#include <string>
#include <vector>

#include "dataset/store/field.h"
#include "proto/record.pb.h"

namespace kg::dataset {

// The only declaration of a data set's content: the writer, the reader, the attributes in the file and the check of
// docs/reference/data-format.md are all derived from it. A new column is one line in schema.cpp.
inline constexpr std::uint64_t kFormatVersion = 1;

enum class Table { kMeta, kTasks, kSamples, kRollouts, kPreferences, kTensors };
inline constexpr std::size_t kTableCount = 6;
inline constexpr std::array<Table, kTableCount> kTables = {Table::kMeta,     Table::kTasks,       Table::kSamples,
                                                           Table::kRollouts, Table::kPreferences, Table::kTensors};

struct Column {
  std::string name;
  Field field;
  std::string unit;  // empty: none
  std::string meaning;
};

struct TableSchema {
  std::string name;  // the group: "rollouts"
  const google::protobuf::Descriptor* message;
  std::vector<Column> columns;
};

const TableSchema& schema(Table table);

// The table that a record belongs to, and the message in it. The record must have one.
Table table_of(const proto::JournalRecord& record);
const google::protobuf::Message& message_of(const proto::JournalRecord& record);
google::protobuf::Message& mutable_message(proto::JournalRecord& record, Table table);

}  // namespace kg::dataset
