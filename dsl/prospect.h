#pragma once

#include <cstddef>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/scope.h"

namespace kg::dsl {

// The intended use of a name where the parser expects one.
enum class NameUse {
  kAny,       // unknown
  kKernel,    // the kernel's name
  kTensor,    // a new parameter or scratch tensor
  kExtent,    // in the extents of a parameter: a new extent, or an existing one
  kNew,       // a new variable
  kTarget,    // a variable that is set: a new one, or one that may be set again
  kLoaded,    // a tensor that is read
  kList,      // a list of tensors that is read
  kPosition,  // a position in a list: a variable of a loop over one
  kStored,    // a tensor that is written
  kValue      // part of an expression: a variable, an extent or a function
};

// The parser has reached the end of a beginning: everything so far is right. Not a refusal.
struct AtCut : std::exception {
  const char* what() const noexcept override { return "the beginning of a program ends here"; }
};

// In Prospect::path: the block of a loop or condition, or its head, and one that lowering writes out: of a loop over a
// list, or of a condition on what the task gives.
inline constexpr char kBlock = 'b', kWrittenOutBlock = 'q';

struct ExpectedHeader;

// The state of a parser at the end of a beginning: whatever it asks for at the cut may come next, so
// the grammar is written only once, in the parser. Names are kept in the same way as in the checker (scope.h).
struct Prospect {
  // Words and signs of the language that may come next, and the kinds of other tokens.
  std::vector<const char*> words, signs;  // some of them several times
  bool number = false, new_line = false, indent = false, dedent = false, end = false;
  std::set<NameUse> names;
  std::vector<std::string> task_words;  // names and types that `expected` allows here
  std::vector<std::string> numbers;     // the numbers that it allows; empty: any, if `number`

  // The parameters that a task expects; null: any.
  const ExpectedHeader* expected = nullptr;
  bool in_head = true;  // before the end of the parameters
  // The task decides what may come here.
  bool task_decides() const { return expected != nullptr && in_head; }

  // Names.
  Scope scope;
  std::set<std::string> inputs, outputs, unstored;
  std::set<std::string> reals;       // tensors whose elements are not whole numbers
  std::set<std::string> lists;       // parameters that are lists of tensors
  std::set<std::string> optional;    // parameters that the task may omit
  std::set<std::string> positions;   // variables of loops over them
  std::map<std::string, int> ranks;  // of each tensor the largest number of its indices
  bool in_extents = false;           // which may be new names
  int most_indices = 0;              // of the tensor whose brackets come next; 0: any number
  bool of_list = false;              // the first of them is a position
  int indices = 0;          // brackets open around an expression since the last call: a tile range is allowed there
  std::string call;         // the function whose argument is being read; empty: none
  int gemms = 0;            // calls of gemm around an expression
  bool takes_gemm = false;  // the value of a product's += is being read
  int deepest = 0;          // above 0: the expression cannot be nested further, so that nothing can be called
  int whole = 0;            // above 0: only a whole number is allowed here, or a tile range in an index
  // The open constructs, outermost first. Together with what the parser asks for, they determine which signs may come,
  // now and later: beginnings that agree in both differ only in their names.
  std::string path;

  // Whether this name may be used like this.
  bool allows(NameUse use, const std::string& name) const;
  bool can_load() const;  // there is something to load
  // The work of the whole kernel may be cut among the cores: no loop or condition is around.
  bool may_cut() const { return path.find(kBlock) == std::string::npos; }
  // Some noted use allows any new name; otherwise only these names are allowed.
  bool any_name() const;                         // for the uses noted at the cut
  std::vector<std::string> known_names() const;  // those that the noted uses allow

  std::size_t longest_name() const;  // of a visible name, in bytes

  void add(const std::string& name, Type::Kind kind, bool fixed, bool product = false);
  void forget_questions() {
    words.clear();
    signs.clear();
    names.clear();
    task_words.clear();
    numbers.clear();
    number = new_line = indent = dedent = end = false;
  }
  // The parser's questions, and the path.
  std::string state() const;
};

}  // namespace kg::dsl
