#pragma once

#include <string>
#include <vector>

namespace kg::npu::testing {

// One small mistake put into a correct kernel's text, of the kinds that people and models make.
struct Mutation {
  // Less: every access of the mutant is one of the parent's, in the same order. More: it works on more elements than
  // its parent; where these lie outside the tensors, that is a fault of its own. If either reaches no output, whatever
  // the inputs and the garbage in memory, the mutant does its parent's work.
  enum class Does { kOther, kLess, kMore };
  std::string what;  // "dropped WaitFlag: ...", with the text that was changed
  int line;
  std::string text;  // the whole kernel with the mistake
  Does does = Does::kOther;
};

// Every mutation of the text, in a fixed order.
std::vector<Mutation> mutations_of(const std::string& text);

}  // namespace kg::npu::testing
