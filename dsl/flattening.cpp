#include "dsl/flattening.h"

#include <numeric>

#include "base/check.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {
namespace {

std::string range_length(const Flattening& flat, const std::string& range) {
  const Flattening::Name& found = flat.name(range);
  return found.dynamic ? cpp_name(range) + "Len" : std::to_string(found.longest);
}

}  // namespace

const Flattening::Name& Flattening::name(const std::string& name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  KG_CHECK(!"a checked program uses known names");
  return scopes[0].begin()->second;
}

std::string Flattening::fresh(const std::string& stem) {
  const int number = used_names[stem]++;
  return number == 0 ? stem : stem + std::to_string(number + 1);
}

Step& Flattening::step(Step::Kind kind, int line) {
  Step& made = steps->emplace_back();
  made.kind = kind;
  made.line = line;
  return made;
}

void Flattening::define(int line, const std::string& name, const std::string& type, const std::string& value,
                        std::vector<int> tiles) {
  Step& made = step(Step::Kind::kScalar, line);
  made.name = name;
  made.type = type;
  made.value = value;
  made.waits = !tiles.empty();
  made.sources = std::move(tiles);
}

void Flattening::close(int line) { step(Step::Kind::kEnd, line); }

int Flattening::new_tile(const std::string& name, proto::DType dtype, const Length& length, Tile::Home home) {
  Tile made;
  made.name = name.empty() ? "" : fresh(name);
  made.dtype = dtype;
  made.capacity = longest(*this, length);
  made.home = home;
  form.tiles.push_back(std::move(made));
  return static_cast<int>(form.tiles.size()) - 1;
}

std::string length_text(const Flattening& flat, const Length& length) {
  if (length.factor == 0) {
    return std::to_string(length.constant);
  }
  std::string text = range_length(flat, length.range);
  if (length.factor != 1) text += " * " + std::to_string(length.factor);
  return length.constant == 0 ? text : text + " + " + std::to_string(length.constant);
}

std::int64_t longest(const Flattening& flat, const Length& length) {
  return length.constant + (length.factor == 0 ? 0 : length.factor * flat.name(length.range).longest);
}

std::int64_t unit_of(const Flattening& flat, const Length& length) {
  if (length.factor == 0) return length.constant;
  const Flattening::Name& range = flat.name(length.range);
  const std::int64_t pieces = std::gcd(range.longest, range.total % range.longest);
  return std::gcd(length.constant, length.factor * pieces);
}

std::int64_t unit_of(const Flattening& flat, const Linear& offset) {
  std::int64_t unit = offset.constant;
  for (const auto& [term, coefficient] : offset.terms) {
    std::int64_t grain = 1;
    for (const auto& scope : flat.scopes)
      if (const auto found = scope.find(term); found != scope.end() && found->second.longest > 0)
        grain = found->second.longest;
    unit = std::gcd(unit, coefficient * grain);
  }
  return unit;
}

}  // namespace kg::dsl
