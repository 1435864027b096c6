#include "dataset/store/json_records.h"

#include "base/error.h"

namespace kg::dataset {
namespace {

constexpr std::size_t kLargestRecord = 64 << 20;
constexpr int kEnd = std::char_traits<char>::eof();

bool is_space(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

JsonRecordReader::JsonRecordReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  if (in_.peek() == 0xEF) {  // byte-order mark
    char mark[3] = {};
    in_.read(mark, 3);
  }
  while (is_space(in_.peek())) get();
  is_list_ = in_.peek() == '[';
  if (is_list_) get();
}

int JsonRecordReader::get() {
  const int c = in_.get();
  if (c == '\n') ++line_;
  return c;
}

int JsonRecordReader::next_visible() {
  int c = get();
  while (is_space(c)) c = get();
  return c;
}

void JsonRecordReader::fail(const std::string& what) const {
  throw Error(
      what, name_ + ":" + std::to_string(line_) + " (record " + std::to_string(index_) + ")",
      "records before it are imported; repair the file and import again; records already stored are not stored twice");
}

std::optional<JsonRecord> JsonRecordReader::next() {
  if (ended_) return std::nullopt;
  auto record = is_list_ ? next_element() : next_line();
  if (record) ++index_;
  ended_ = !record;
  return record;
}

std::optional<JsonRecord> JsonRecordReader::next_line() {
  JsonRecord record{.text = {}, .index = index_, .line = line_};
  for (int c = get(); c != kEnd; c = get()) {
    if (c != '\n') {
      record.text.push_back(static_cast<char>(c));
      if (record.text.size() > kLargestRecord) fail("a line is longer than 64 MiB");
      continue;
    }
    if (record.text.find_first_not_of(" \t\r") != std::string::npos) return record;
    record.text.clear();
    record.line = line_;
  }
  if (record.text.find_first_not_of(" \t\r") != std::string::npos) return record;
  return std::nullopt;
}

// Follows only brackets and strings. An element that is not an object is returned unchanged, for the parser to refuse.
std::optional<JsonRecord> JsonRecordReader::next_element() {
  int c = next_visible();
  if (index_ > 0 && c == ',') {
    c = next_visible();
  } else if (index_ > 0 && c != ']' && c != kEnd) {
    fail(std::string("expected ',' or ']' between records, found '") + static_cast<char>(c) + "'");
  }
  if (c == ']') return std::nullopt;
  JsonRecord record{.text = {}, .index = index_, .line = line_};
  int depth = 0;
  bool in_string = false, escaped = false;
  for (;; c = get()) {
    if (c == kEnd) fail("the list ends in the middle, its ']' is missing");
    if (in_string) {
      in_string = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
    record.text.push_back(static_cast<char>(c));
    if (record.text.size() > kLargestRecord) fail("a record is larger than 64 MiB");
    if (depth <= 0 && !in_string) {
      if (c == '}' || c == ']' || c == '"') return record;
      const int after = in_.peek();
      if (after == ',' || after == ']' || is_space(after)) return record;
    }
  }
}

}  // namespace kg::dataset
