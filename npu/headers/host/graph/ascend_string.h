#pragma once

#include <functional>
#include <string>

namespace ge {

// Text passed between libraries.
class AscendString {
 public:
  AscendString() = default;
  AscendString(const char* text) : text_(text == nullptr ? "" : text) {}
  AscendString(const char* text, size_t length) : text_(text == nullptr ? "" : std::string(text, length)) {}
  const char* GetString() const { return text_.c_str(); }
  size_t GetLength() const { return text_.size(); }
  size_t Hash() const { return std::hash<std::string>()(text_); }
  size_t Find(const AscendString& other) const { return text_.find(other.text_); }
  bool operator<(const AscendString& other) const { return text_ < other.text_; }
  bool operator>(const AscendString& other) const { return text_ > other.text_; }
  bool operator<=(const AscendString& other) const { return text_ <= other.text_; }
  bool operator>=(const AscendString& other) const { return text_ >= other.text_; }
  bool operator==(const AscendString& other) const { return text_ == other.text_; }
  bool operator!=(const AscendString& other) const { return text_ != other.text_; }

 private:
  std::string text_;
};

}  // namespace ge
