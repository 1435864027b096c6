#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "dataset/store/schema.h"
#include "tests/dataset_examples.h"

namespace kg::dataset {
namespace {

// Field names as paths, down to fields that one column holds whole.
void leaves(const google::protobuf::Descriptor* message, const std::string& prefix, std::set<std::string>& names) {
  for (int i = 0; i < message->field_count(); ++i) {
    const auto* field = message->field(i);
    const bool descend = field->message_type() != nullptr && !field->is_repeated() && field->name() != "graph";
    if (descend)
      leaves(field->message_type(), prefix + field->name() + ".", names);
    else
      names.insert(prefix + field->name());
  }
}

TEST(Schema, EveryFieldOfARecordHasItsColumn) {
  for (const Table table : kTables) {
    std::set<std::string> wanted;
    leaves(schema(table).message, "", wanted);
    EXPECT_EQ(schema(table).columns.size(), wanted.size()) << schema(table).name;
  }
}

TEST(Schema, ColumnsHaveDifferentNames) {
  for (const Table table : kTables) {
    std::set<std::string> names;
    for (const Column& column : schema(table).columns) EXPECT_TRUE(names.insert(column.name).second) << column.name;
  }
}

TEST(Schema, ARecordSurvivesItsColumns) {
  const auto through_columns = [](Table table, const google::protobuf::Message& from, google::protobuf::Message& to) {
    std::string bytes;
    for (const Column& column : schema(table).columns) {
      column.field.get(from, bytes);
      column.field.set(to, bytes);
    }
    EXPECT_TRUE(same(from, to)) << from.DebugString() << to.DebugString();
  };
  proto::Task task;
  through_columns(Table::kTasks, example_task(5), task);
  proto::Sample sample;
  through_columns(Table::kSamples, example_sample(5), sample);
  proto::Rollout rollout;
  through_columns(Table::kRollouts, example_rollout(5, 1), rollout);
  proto::Preference preference;
  through_columns(Table::kPreferences, example_preference(5), preference);
  proto::CaseTensor tensor;
  through_columns(Table::kTensors, example_tensor(5), tensor);
}

const char* type_name(const Column& column) {
  if (column.field.leaf()->type() == google::protobuf::FieldDescriptor::TYPE_BYTES) return "bytes";
  if (column.field.layout() == Layout::kText) return "text";
  if (column.field.layout() == Layout::kJson) return "JSON";
  switch (column.field.type()) {
    case ElementType::kUint8:
      return "uint8";
    case ElementType::kInt32:
      return "int32";
    case ElementType::kUint32:
      return "uint32";
    case ElementType::kInt64:
      return "int64";
    case ElementType::kUint64:
      return "uint64";
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat64:
      return "float64";
  }
  return "?";
}

// The rows of the table in docs/reference/data-format.md, as this prints them on failure.
std::string expected_rows(Table table) {
  std::string rows;
  for (const Column& column : schema(table).columns)
    rows += "| `" + column.name + "` | " + type_name(column) +
            (column.field.layout() == Layout::kNumbers ? " pool" : "") + " | " + column.unit + " | " + column.meaning +
            " |\n";
  return rows;
}

TEST(Schema, TheFormatPageListsEveryColumnWithTypeUnitAndMeaning) {
  const std::string page = read_file(fs::path(KG_SOURCE_DIR) / "docs" / "reference" / "data-format.md");
  for (const Table table : kTables)
    EXPECT_NE(page.find(expected_rows(table)), std::string::npos) << schema(table).name << ":\n"
                                                                  << expected_rows(table);
}

}  // namespace
}  // namespace kg::dataset
