#pragma once

#include <cstddef>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include "dsl/scope.h"

namespace kg::dsl {

// What a name is to be used for where the parser asks for one.
enum class NameUse {
  kAny,     // nothing is known
  kKernel,  // the kernel's name
  kTensor,  // a new parameter or scratch tensor
  kExtent,  // in the extents of a parameter: a new extent, or one that is there
  kNew,     // a new variable
  kTarget,  // a variable that is set: new, or one that may be set again
  kLoaded,  // a tensor that is read
  kStored,  // a tensor that is written
  kValue    // part of an expression: a variable, an extent or a function
};

// The parser has come to the end of a beginning: what there is, is right so far. No refusal.
struct AtCut : std::exception {
  const char* what() const noexcept override { return "the beginning of a program ends here"; }
};

inline constexpr char kBlock = 'b';  // in Prospect::path: the block of a loop or condition, or its head

// What a parser that reads the beginning of a program leaves: what it asks about at the cut is what may come next, so
// that the grammar is written once, in the parser. The names so far are kept as the checker keeps them (scope.h).
struct Prospect {
  // Words and signs of the language that may come next, and the kinds of other tokens.
  std::vector<const char*> words, signs;  // some of them several times
  bool number = false, new_line = false, indent = false, dedent = false, end = false;
  std::set<NameUse> names;

  // Names.
  Scope scope;
  std::set<std::string> inputs, outputs, unstored;
  std::set<std::string> reals;  // tensors whose elements are no whole numbers
  bool in_header = false;       // extents are read, which may be new names
  int indices = 0;   // square brackets open around an expression, since the last call: a tile range may stand there
  std::string call;  // the function whose argument is read; empty: none
  int gemms = 0;     // calls of gemm around an expression
  bool takes_gemm = false;  // the value of a product's +=
  int whole = 0;            // more than 0: only a whole number may stand here, or a tile range in an index
  // The constructs that are open, the outermost first. With what the parser asks for it tells which signs may come, now
  // and later: beginnings that agree in both differ in their names alone.
  std::string path;

  // Whether this name may be used so.
  bool allows(NameUse use, const std::string& name) const;
  bool can_load() const;  // there is something to load
  // A new name that some use makes is free; others must be one of these.
  bool any_name() const;                         // of the uses noted at the cut
  std::vector<std::string> known_names() const;  // those that the noted uses allow

  void add(const std::string& name, Type::Kind kind, bool fixed, bool product = false);
  void forget_questions() {
    words.clear();
    signs.clear();
    names.clear();
    number = new_line = indent = dedent = end = false;
  }
  // What was asked, and the path.
  std::string state() const;
};

}  // namespace kg::dsl
