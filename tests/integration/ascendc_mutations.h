#pragma once

#include <string>
#include <vector>

namespace kg::sandbox::ascendc::testing {

// One small mistake put into a correct kernel's text, of the kinds that people and models make.
struct Mutation {
  std::string what;  // "dropped WaitFlag: ...", with the text that was changed
  int line;
  std::string text;        // the whole kernel with the mistake
  bool does_less = false;  // every access of the mutant is one of the parent's, in the same order: if no output shows
                           // the difference, the parent does something in vain
};

// Every mutation of the text, in a fixed order.
std::vector<Mutation> mutations_of(const std::string& text);

}  // namespace kg::sandbox::ascendc::testing
