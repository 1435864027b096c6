#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kg::dataset::translation {

// A size of an axis: its number in the prompt, and its text in a program. A task may be judged with other sizes, so
// a size of an input is a name, and others are expressed by it.
using SizeId = int;

class Sizes {
 public:
  SizeId literal(std::int64_t number);
  // For an input: a separate name, unless it turns out to be the size of another one's axis.
  SizeId axis(std::int64_t number);
  // `form` expresses it, with {N} for the size N: "{3} - 2".
  SizeId derived(std::int64_t number, const std::string& form);
  SizeId product(const std::vector<SizeId>& sizes);
  // The factors of a product; else itself.
  std::vector<SizeId> factors(SizeId size) const;

  // Two axes that meet element by element have the same size. One that is computed is then said by the other's name.
  void join(SizeId one, SizeId other);

  SizeId same_as(SizeId size) const { return root(size); }  // equal for sizes that were joined
  bool are_equal(SizeId one, SizeId other) const;           // by what they are made of, whatever the numbers
  bool is_literal(SizeId size) const { return entries_[static_cast<std::size_t>(size)].kind == Entry::Kind::kLiteral; }
  std::int64_t number(SizeId size) const { return entries_[static_cast<std::size_t>(size)].number; }
  std::string text(SizeId size) const;
  std::string factor(SizeId size) const;              // in brackets if it is more than a word
  std::string filled(const std::string& form) const;  // with the sizes for {N}
  // Axes get names in the order in which they are requested; `taken` are the names of tensors.
  void name_axes(const std::vector<SizeId>& order, const std::vector<std::string>& taken);

 private:
  struct Entry {
    std::int64_t number = 1;
    enum class Kind { kLiteral, kAxis, kDerived } kind = Kind::kLiteral;
    std::string form = {};
    SizeId same = -1;
    SizeId met = -1;  // of a derived size: the axis that it met
    std::vector<SizeId> factors = {};
  };
  SizeId add(Entry entry);
  SizeId root(SizeId size) const;
  std::vector<Entry> entries_;
  std::map<std::string, std::string> names_;  // of the axes that derived sizes met, by their formulas
};

}  // namespace kg::dataset::translation
