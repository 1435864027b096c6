#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "dataset/store/column.h"

namespace kg::dataset {

// How a protobuf field is stored in a table.
enum class Layout {
  kFixed,    // one element per row
  kText,     // a byte pool, UTF-8
  kNumbers,  // a pool of numbers: a repeated scalar field
  kJson,  // a byte pool with JSON: a message, or a list of messages or strings (protobuf's JSON form, field names as in
          // the .proto file)
};

// A field of a message or of its submessages, named by its path ("verdict.reward"), as bytes of a column.
class Field {
 public:
  // KG_CHECKs that the path exists: schemas are constants of the program.
  Field(const google::protobuf::Descriptor* message, const std::string& path);

  Layout layout() const { return layout_; }
  ElementType type() const { return type_; }
  const google::protobuf::FieldDescriptor* leaf() const { return path_.back(); }

  // The column bytes of this field in `message`; for kFixed exactly one element.
  void get(const google::protobuf::Message& message, std::string& bytes) const;
  // The reverse. Leaves a field alone if the value is the default, so that no empty message is created.
  void set(google::protobuf::Message& message, std::string_view bytes) const;

 private:
  std::vector<const google::protobuf::FieldDescriptor*> path_;
  Layout layout_;
  ElementType type_;
};

}  // namespace kg::dataset
