#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kg::npu::coverage {

// Whether the text holds the word, not as a part of a longer name; a word that ends in '_' may be the beginning of one.
bool has_word(const std::string& text, const std::string& word);

// The numbers of arguments with which the text calls a function of this name.
std::set<std::size_t> argument_counts(const std::string& text, const std::string& name);

// The sources of the tests, without comments and with adjacent literals joined, so that a kernel in a string reads as
// one text.
class TestSources {
 public:
  explicit TestSources(const std::filesystem::path& source);

  // The text of one case of a test file ("ascendc_numbers_test"): of a test "Suite.Name", or of the entry of a table
  // that begins with the name as a literal; with the constants that it names. Empty: there is no such case.
  std::string text_of_case(const std::string& file, const std::string& name) const;

  struct Case {
    std::string file, name, text;
  };
  // Every case of every test file of the emulated NPU that looks at results or faults.
  std::vector<Case> all_cases() const;

 private:
  std::map<std::string, std::string> files_;  // by stem
};

}  // namespace kg::npu::coverage
