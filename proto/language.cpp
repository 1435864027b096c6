#include "proto/language.h"

#include <string>

#include "base/error.h"

namespace kg::proto {

SourceLanguage language_from_name(std::string_view name) {
  if (name == "dsl") return DSL;
  if (name == "ascendc") return ASCENDC;
  throw Error("no language \"" + std::string(name) + "\"", "language", "wanted ascendc or dsl");
}

SourceLanguage language_of(const Sample& sample) { return sample.style() == "dsl" ? DSL : ASCENDC; }

}  // namespace kg::proto
