#pragma once

#include <string_view>

#include "proto/record.pb.h"
#include "proto/sandbox.pb.h"

namespace kg::proto {

// The language as options name it: "ascendc" or "dsl"; throws Error for another name.
SourceLanguage language_from_name(std::string_view name);

// The language that a sample's kernel is in: samples in the DSL have the style "dsl".
SourceLanguage language_of(const Sample& sample);

}  // namespace kg::proto
