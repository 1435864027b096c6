#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/bind.h"
#include "dsl/foldings.h"
#include "dsl/program.h"

namespace kg::dsl {

// A parameter that a task expects.
struct ExpectedParameter {
  std::string name;               // the task's
  std::string type;               // the word of the language; empty: it has none, so any
  std::string in_place_of;        // an output that may be written in place: the name of the task's input
  bool in_place = false;          // and must be
  bool list = false;              // has `*`
  bool alike = false;             // all tensors of the list have one shape, so that its extents may be named
  bool omissible = false;         // the program may lack it
  bool must_be_optional = false;  // has `?`
  std::vector<std::vector<std::int64_t>> shapes;  // of its tensor, by case; empty: absent
};

// The parameters with which a program can be lowered for every case of a task (match_tensors.h, bind.h): the inputs by
// the task's names, in any order; the outputs in the task's order, by any names. If a name of the task's inputs is none
// in the language, the inputs have any names as well, and the task's order.
struct ExpectedHeader {
  // Each case: its tensors in launch order, with names. At least one; types are those of the first, and cases with
  // another number of parameters (a list is one) do not count.
  explicit ExpectedHeader(std::vector<std::vector<TensorShape>> cases);

  bool has_input(const std::string& name) const;  // so that no extent has this name
  // An output may have any name with which it is not taken for another tensor.
  bool may_call(const ExpectedParameter& output, const std::string& name) const;

  std::uint64_t id;  // no other object has it
  std::vector<ExpectedParameter> inputs, outputs;
  bool by_order = false;         // the inputs, too, have any names
  std::size_t longest_name = 0;  // that must be written, in bytes
};

// What of it a beginning has read so far.
class HeaderReading {
 public:
  explicit HeaderReading(const ExpectedHeader& expected);

  // The parameters that may come next; none: the side is complete.
  std::vector<const ExpectedParameter*> next(bool output) const;
  bool is_complete(bool output) const;  // and may end here
  // The program's name of the input that the task calls so; empty: it has none so far.
  std::string name_of_input(const std::string& task_name) const;

  void begin(const ExpectedParameter& parameter, const std::string& name, bool output);
  // An extent of the parameter that was begun.
  void add_extent(ExprPtr extent) { extents_.push_back(std::move(extent)); }
  bool may_end() const { return fit(extents_, /*whole=*/true); }  // in every case the tensor can have these extents
  bool may_continue() const { return fit(extents_, /*whole=*/false); }  // these and further ones
  // What the next extent may be: numbers, a new name, and the known names that fit.
  std::vector<std::string> numbers() const;
  bool may_be_new() const;
  std::vector<std::string> known_names() const;
  // The parameter has these extents, so that their names get their values; none: `..`, or in place.
  void end();

 private:
  bool fit(const std::vector<ExprPtr>& extents, bool whole) const;
  // Whether the extents fit with this one behind them, and perhaps others.
  bool fits(const Expr& next) const;

  const ExpectedHeader& expected_;
  std::vector<bool> taken_;         // inputs
  std::vector<std::string> named_;  // their names in the program
  std::size_t outputs_taken_ = 0;
  const ExpectedParameter* open_ = nullptr;
  std::vector<ExprPtr> extents_;
  std::vector<std::vector<ExtentValues>> values_;  // by case: all that the parameters so far allow
};

}  // namespace kg::dsl
