#include "dataset/translation/line_reader.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace kg::dataset::translation {

int LineReader::node(std::size_t place) const {
  if (place >= line_.given.size()) throw Unknown{line_.op + " without its argument"};
  const std::string& text = line_.given[place];
  const auto known = values_.find(text);
  if (known != values_.end()) return known->second;
  const bool name = std::isalpha(static_cast<unsigned char>(text[0])) != 0 && text != "None" && text != "inf";
  if (name || text[0] == '[') throw Unknown{line_.op + " of " + text};
  return make_.number(text == "-inf" ? "(-inf)" : text);
}

std::vector<int> LineReader::nodes() const {
  std::vector<int> made;
  for (std::size_t i = 0; i < line_.given.size(); ++i) made.push_back(node(i));
  return made;
}

std::vector<int> LineReader::list(std::size_t place) const {
  std::vector<int> made;
  std::string name;
  for (const char c : place < line_.given.size() ? line_.given[place] + "," : "") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      name += c;
    } else if (c == ',' || c == ']') {
      if (name.empty()) continue;
      const auto known = values_.find(name);
      if (known == values_.end()) throw Unknown{line_.op + " of " + name};
      made.push_back(known->second);
      name.clear();
    }
  }
  if (made.empty()) throw Unknown{line_.op + " of nothing"};
  return made;
}

std::string LineReader::text(std::size_t place, const char* keyword, const std::string& otherwise) const {
  if (const auto found = line_.keywords.find(keyword); found != line_.keywords.end()) return found->second;
  return place < line_.given.size() ? line_.given[place] : otherwise;
}

std::vector<std::int64_t> LineReader::numbers(std::size_t place, const char* keyword) const {
  return numbers_of(text(place, keyword, ""));
}

std::int64_t LineReader::number(std::size_t place, const char* keyword, std::int64_t otherwise) const {
  const auto found = numbers(place, keyword);
  return found.empty() ? otherwise : found[0];
}

bool LineReader::is_true(std::size_t place, const char* name) const {
  const std::vector<std::string>& given = line_.given;
  return text(place, name, "False") == "True" || std::find(given.begin(), given.end(), name) != given.end() ||
         flag(name);
}

std::vector<int> LineReader::axes(std::size_t place) const {
  const int rank = make_.rank(node(0));
  std::vector<std::int64_t> found = numbers(place, "dim");
  if (found.empty()) found = numbers(place, "dims");
  std::vector<int> made;
  for (const std::int64_t axis : found) {
    const std::int64_t from_front = axis < 0 ? axis + rank : axis;
    if (from_front < 0 || from_front >= rank) throw Unknown{line_.op + " along axis " + std::to_string(axis)};
    made.push_back(static_cast<int>(from_front));
  }
  if (made.empty()) {
    made.resize(static_cast<std::size_t>(rank));
    std::iota(made.begin(), made.end(), 0);
  }
  return made;
}

Shape LineReader::shape() const {
  if (line_.shape) return *line_.shape;
  if (!is_node(0)) throw Unknown{line_.op + " without a shape"};
  Shape made;  // shape of the first operand
  for (const SizeId size : make_.graph()[node(0)].dims) made.push_back(make_.graph().sizes.number(size));
  return made;
}

}  // namespace kg::dataset::translation
