#include "dataset/translation/sizes.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>

namespace kg::dataset::translation {

SizeId Sizes::add(Entry entry) {
  entries_.push_back(std::move(entry));
  return static_cast<SizeId>(entries_.size()) - 1;
}

SizeId Sizes::literal(std::int64_t number) { return add({.number = number}); }

SizeId Sizes::axis(std::int64_t number) {
  if (number == 1) return literal(1);
  return add({.number = number, .kind = Entry::Kind::kAxis});
}

SizeId Sizes::derived(std::int64_t number, const std::string& form) {
  if (number == 1) return literal(1);
  return add({.number = number, .kind = Entry::Kind::kDerived, .form = form});
}

SizeId Sizes::product(const std::vector<SizeId>& sizes) {
  std::vector<SizeId> long_ones;
  for (const SizeId size : sizes)
    if (number(size) != 1) long_ones.push_back(size);
  if (long_ones.empty()) return literal(1);
  if (long_ones.size() == 1) return long_ones[0];
  std::int64_t count = 1;
  std::string form;
  for (const SizeId size : long_ones) {
    count *= number(size);
    form += (form.empty() ? "{" : " * {") + std::to_string(size) + "}";
  }
  const SizeId made = derived(count, form);
  for (const SizeId size : long_ones)
    for (const SizeId factor : factors(size)) entries_[static_cast<std::size_t>(made)].factors.push_back(factor);
  return made;
}

std::vector<SizeId> Sizes::factors(SizeId size) const {
  const Entry& entry = entries_[static_cast<std::size_t>(size)];
  return entry.factors.empty() ? std::vector<SizeId>{size} : entry.factors;
}

SizeId Sizes::root(SizeId size) const {
  while (entries_[static_cast<std::size_t>(size)].same >= 0) size = entries_[static_cast<std::size_t>(size)].same;
  return size;
}

void Sizes::join(SizeId one, SizeId other) {
  one = root(one), other = root(other);
  if (one == other || number(one) != number(other)) return;
  const auto is_axis = [&](SizeId size) { return entries_[static_cast<std::size_t>(size)].kind == Entry::Kind::kAxis; };
  if (!is_axis(one) || (is_axis(other) && other < one)) std::swap(one, other);
  if (!is_axis(one)) return;
  Entry& entry = entries_[static_cast<std::size_t>(other)];
  // A size is never said by itself: only axes have others joined to them.
  if (entry.kind == Entry::Kind::kAxis) entry.same = one;
  if (entry.kind == Entry::Kind::kDerived && entry.met < 0) entry.met = one;
}

bool Sizes::are_equal(SizeId one, SizeId other) const {
  one = root(one), other = root(other);
  const Entry &a = entries_[static_cast<std::size_t>(one)], &b = entries_[static_cast<std::size_t>(other)];
  if (one == other) return true;
  if (a.number != b.number || a.kind != b.kind || a.kind == Entry::Kind::kAxis) return false;
  std::size_t i = 0, j = 0;
  while (i < a.form.size() && j < b.form.size()) {
    if (a.form[i] != b.form[j]) return false;
    if (a.form[i] == '{') {
      if (!are_equal(std::stoi(a.form.substr(i + 1)), std::stoi(b.form.substr(j + 1)))) return false;
      i = a.form.find('}', i), j = b.form.find('}', j);
    }
    ++i, ++j;
  }
  return i == a.form.size() && j == b.form.size();
}

std::string Sizes::text(SizeId size) const {
  const Entry& entry = entries_[static_cast<std::size_t>(root(size))];
  if (entry.kind == Entry::Kind::kLiteral) return std::to_string(entry.number);
  if (entry.kind == Entry::Kind::kAxis) return entry.form.empty() ? std::to_string(entry.number) : entry.form;
  const std::string formula = filled(entry.form);
  const auto known = names_.find(formula);
  return known == names_.end() ? formula : known->second;
}

std::string Sizes::filled(const std::string& form) const {
  std::string made;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '{') {
      made += form[i];
      continue;
    }
    const std::size_t end = form.find('}', i);
    made += factor(std::stoi(form.substr(i + 1, end - i - 1)));
    i = end;
  }
  return made;
}

std::string Sizes::factor(SizeId size) const {
  const std::string made = text(size);
  return made.find(' ') == std::string::npos ? made : "(" + made + ")";
}

void Sizes::name_axes(const std::vector<SizeId>& order, const std::vector<std::string>& taken) {
  char letter = 'A';
  int round = 0;  // from the second on, its number follows the letter
  const auto next = [&] { return std::string(1, letter) + (round == 0 ? "" : std::to_string(round)); };
  for (const SizeId size : order) {
    Entry& entry = entries_[static_cast<std::size_t>(root(size))];
    if (entry.kind != Entry::Kind::kAxis || !entry.form.empty()) continue;
    const auto step = [&] {
      if (letter++ == 'Z') letter = 'A', ++round;
    };
    while (std::find(taken.begin(), taken.end(), next()) != taken.end()) step();
    entry.form = next();
    step();
  }
  for (const Entry& entry : entries_)
    if (entry.met >= 0 && !entries_[static_cast<std::size_t>(root(entry.met))].form.empty())
      names_.emplace(filled(entry.form), text(entry.met));
}

}  // namespace kg::dataset::translation
