#include "dataset/translation/index.h"

#include <cctype>

namespace kg::dataset::translation {
namespace {

bool is_zero(const std::string& text) { return text.empty() || text == "0"; }

// Entries of a group of axes of a view as one: numbers count up to the place of the last one.
Entry joined(const Index& group, const std::vector<std::vector<SizeId>>& spans, const Sizes& sizes) {
  std::string at;
  if (group.size() == 2 && !group[1].is_range()) {  // a group that was split before
    const std::string by = sizes.factor(spans[1].at(0)), &high = group[0].text, &low = group[1].text;
    const std::size_t cut = high.size() - std::min(high.size(), by.size() + 4);
    if (spans[1].size() == 1 && high.substr(cut) == " // " + by && low == high.substr(0, cut) + " % " + by)
      return {.text = high.starts_with('(') && high[cut - 1] == ')' ? high.substr(1, cut - 2) : high.substr(0, cut)};
  }
  for (std::size_t i = 0; i + 1 < group.size(); ++i) {
    if (group[i].is_range()) throw Unfit{};
    at = plus(at, group[i].text);
    for (const SizeId size : spans[i + 1]) at = times(at, sizes.factor(size));
  }
  Entry made = group.back();
  made.text = plus(at, made.text);
  if (group.size() > 1) made.whole = false;
  return made;
}

// A number's places on several axes.
void add_digits(Index& index, const std::string& number, const std::vector<SizeId>& axes, const Sizes& sizes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::string behind, text = in_brackets(number);
    for (std::size_t j = i + 1; j < axes.size(); ++j)
      behind = behind.empty() ? sizes.factor(axes[j]) : behind + " * " + sizes.factor(axes[j]);
    if (axes.size() == 1) {
      index.push_back({.text = number});
      return;
    }
    if (i + 2 < axes.size()) behind = "(" + behind + ")";
    if (!behind.empty()) text += " // " + behind;
    if (i > 0) text += " % " + sizes.factor(axes[i]);
    index.push_back({.text = is_zero(number) ? "0" : text});
  }
}

// An element, by its number, or a range, on these axes of a tensor.
Index place_on(const std::vector<SizeId>& axes, Entry entry, const Sizes& sizes) {
  std::vector<SizeId> long_ones;
  for (const SizeId size : axes)
    if (sizes.number(size) != 1) long_ones.push_back(size);
  Index digits;
  const std::string by = long_ones.size() > 1 && entry.is_range() ? " * " + sizes.factor(long_ones.back()) : "";
  if (!by.empty() && entry.text.ends_with(by) && entry.axes == 1 && entry.length == sizes.text(long_ones.back())) {
    // A range over only the last of them.
    const std::string number = entry.text.substr(0, entry.text.size() - by.size());
    add_digits(digits, number.starts_with('(') && number.ends_with(')') ? number.substr(1, number.size() - 2) : number,
               {long_ones.begin(), long_ones.end() - 1}, sizes);
    digits.push_back({.kind = entry.kind, .text = "", .loop = entry.loop, .length = entry.length});
  } else if (entry.is_range()) {
    entry.axes = static_cast<int>(axes.size());  // with those of one element between the others
    return {entry};
  } else if (long_ones.size() == 1) {
    digits.push_back(entry);
  } else {
    add_digits(digits, entry.text, long_ones, sizes);
  }
  Index made;
  auto next = digits.begin();
  for (const SizeId size : axes) made.push_back(sizes.number(size) == 1 ? Entry{} : *next++);
  return made;
}

}  // namespace

std::string in_brackets(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::string plus(const std::string& text, const std::string& other) {
  if (is_zero(text)) return other;
  if (is_zero(other)) return text;
  return other[0] == '-' && other.find(' ') == std::string::npos ? text + " - " + other.substr(1)
                                                                 : text + " + " + other;
}

std::string plus(const std::string& text, std::int64_t number) {
  if (number == 0) return text;
  if (is_zero(text)) return std::to_string(number);
  return text + (number < 0 ? " - " : " + ") + std::to_string(number < 0 ? -number : number);
}

std::string times(const std::string& text, const std::string& factor) {
  if (is_zero(text) || factor == "1") return text;
  return text == "1" ? factor : in_brackets(text) + " * " + factor;
}

std::string text_of(const Index& index) {
  std::string made;
  for (const Entry& entry : index) {
    if (!made.empty()) made += ", ";
    if (entry.kind == Entry::Kind::kNumber)
      made += entry.text.empty() ? "0" : entry.text;
    else if (entry.kind == Entry::Kind::kTiles)
      made += is_zero(entry.text)    ? entry.loop
              : entry.text[0] == '-' ? entry.loop + " - " + entry.text.substr(1)
                                     : entry.loop + " + " + entry.text;
    else if (entry.whole)
      made += ":";
    else
      made += (entry.text.empty() ? "0" : entry.text) + ":" + plus(entry.text, in_brackets(entry.length));
  }
  return made.empty() ? "0" : made;
}

const Entry* range_of(const Index& index) {
  for (const Entry& entry : index)
    if (entry.is_range()) return &entry;
  return nullptr;
}

std::set<std::string> words_of(const Index& index) {
  std::set<std::string> words;
  for (const Entry& entry : index) {
    std::string word;
    for (const char c : entry.text + " " + entry.loop + " ") {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
        word += c;
      else if (!word.empty())
        words.insert(word), word.clear();
    }
  }
  return words;
}

Index aligned(const Index& index, const std::vector<SizeId>& all, const std::vector<SizeId>& own, const Sizes& sizes) {
  if (own.size() > all.size()) throw Unfit{};
  const std::size_t front = all.size() - own.size();
  Index made;
  std::size_t axis = 0;
  for (const Entry& entry : index) {
    const std::size_t behind = axis + static_cast<std::size_t>(entry.axes);
    bool same = axis >= front, single = true;
    for (std::size_t i = std::max(axis, front); i < behind; ++i) {
      const std::int64_t size = sizes.number(own[i - front]);
      same = same && size == sizes.number(all[i]);
      single = single && size == 1;
    }
    if (same && !single) {
      made.push_back(entry);
    } else if (single) {
      for (std::size_t i = std::max(axis, front); i < behind; ++i) made.push_back({});
    } else {
      throw Unfit{};
    }
    axis = behind;
  }
  return made;
}

Index through_view(const Index& index, const std::vector<SizeId>& view, const std::vector<SizeId>& own,
                   const Sizes& sizes) {
  Index made;
  std::size_t in = 0, axis = 0, next = 0;
  const auto skip_single = [&] {
    while (in < own.size() && sizes.number(own[in]) == 1) ++in, made.push_back({});
  };
  while (next < index.size()) {
    Index group;
    std::vector<std::vector<SizeId>> spans;
    std::int64_t have = 1, need = 1;
    const auto take_entry = [&] {
      const Entry& entry = index[next++];
      std::vector<SizeId> span(view.begin() + static_cast<std::ptrdiff_t>(axis),
                               view.begin() + static_cast<std::ptrdiff_t>(axis) + entry.axes);
      axis += span.size();
      std::int64_t count = 1;
      for (const SizeId size : span) count *= sizes.number(size);
      need *= count;
      if (count == 1) return;
      group.push_back(entry);
      spans.push_back(span);
    };
    take_entry();
    if (need == 1) continue;
    skip_single();
    const std::size_t start = in;
    while (have != need) {
      if (have < need) {
        if (in == own.size()) throw Unfit{};
        have *= sizes.number(own[in++]);
      } else {
        if (next == index.size()) throw Unfit{};
        take_entry();
      }
    }
    const auto first = own.begin();
    const Index placed = place_on({first + static_cast<std::ptrdiff_t>(start), first + static_cast<std::ptrdiff_t>(in)},
                                  joined(group, spans, sizes), sizes);
    made.insert(made.end(), placed.begin(), placed.end());
  }
  skip_single();
  return made;
}

bool drop_single_axes(Index& index, const std::vector<SizeId>& dims, const Sizes& sizes) {
  const Entry* range = range_of(index);
  if (range == nullptr) return true;
  const auto count = static_cast<std::size_t>(range - index.data()) + 1;
  std::size_t axis = 0;
  for (std::size_t i = 0; i < count; ++i) axis += static_cast<std::size_t>(index[i].axes);
  for (std::size_t i = axis; i < dims.size(); ++i)
    if (sizes.number(dims[i]) != 1) return false;
  index.resize(count);
  return true;
}

std::size_t entry_at(const Index& index, int axis) {
  int at = 0;
  for (std::size_t i = 0; i < index.size(); at += index[i++].axes)
    if (at <= axis && axis < at + index[i].axes) {
      if (index[i].axes != 1) throw Unfit{};
      return i;
    }
  throw Unfit{};
}

}  // namespace kg::dataset::translation
