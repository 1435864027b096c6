#pragma once

#include <optional>
#include <string>

#include "sandbox/checks/call_forms.h"

namespace kg::sandbox {

// Many calls come as a family: over the first n elements, with a mask (a count of lanes, or bits) and repeats, over the
// whole tensor, with a temporary buffer. All of them compute the same; the first-n form defines it.
enum class FormVariant { kMaskCount, kMaskBits, kWhole, kBuffer };

// The parameters, one letter each: T tensor of the data type, S scalar, B temporary buffer, N count, M count of lanes,
// A bits of lanes, R repeats, P strides; ? anything else.
std::string form_signature(const CallForm& form);

struct FamilyMember {
  FormVariant variant;
  const CallForm* first_n;
};
// Nothing if the form is not a variant of a first-n form of the same name.
std::optional<FamilyMember> family_member(const std::string& name, const CallForm& form, const CallForms& forms);

// A raw intrinsic of the vector unit on pointers, and the equivalent call over 512 elements: "Add(w, x, y,
// n);".
struct RawIntrinsic {
  std::string out, in;          // data types
  std::string arguments, call;  // "c, a, b, repeats, 1, 1, 1, dr, sr, sr"
};
std::optional<RawIntrinsic> raw_intrinsic(const std::string& name, const CallForm& form);

}  // namespace kg::sandbox
