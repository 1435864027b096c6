#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace kg::dataset {

// One object of a JSON list or of a file of JSON lines, as text.
struct JsonRecord {
  std::string text;
  std::uint64_t index = 0;  // from 0
  std::uint64_t line = 0;   // line where it begins, counted from 1
};

// Splits a stream into its records without parsing them, so memory is one record whatever the file, and a bad record
// does not hide the following ones. A file whose first character is '[' is a list; otherwise each line is a record.
class JsonRecordReader {
 public:
  JsonRecordReader(std::istream& in, std::string name);
  // Nothing at the end. Throws Error if a list ends before its ']' or contains anything but elements between
  // commas.
  std::optional<JsonRecord> next();

 private:
  int get();
  int next_visible();  // the next character that is not white space
  std::optional<JsonRecord> next_line();
  std::optional<JsonRecord> next_element();
  [[noreturn]] void fail(const std::string& what) const;

  std::istream& in_;
  std::string name_;
  bool is_list_ = false;
  bool ended_ = false;
  std::uint64_t line_ = 1;
  std::uint64_t index_ = 0;
};

}  // namespace kg::dataset
