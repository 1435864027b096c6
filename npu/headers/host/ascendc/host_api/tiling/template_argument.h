#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "graph/types.h"

// A kernel that is a template: its arguments and the combinations that exist. A tiling key identifies one
// combination; the kernel is compiled for the combinations that the cases need.

namespace kgnpu_host {

struct TemplateParameter {
  // kTask: a kernel type that is a parameter too; kOnlyTask and kOther say how the kernel is launched and are no
  // parameters.
  enum Kind { kNumber, kType, kTask, kOnlyTask, kOther };
  std::string name;
  Kind kind;
  unsigned width;                // bits in the tiling key
  std::vector<uint64_t> values;  // its possible values
};
using TemplateParameters = std::vector<TemplateParameter>;

// How an unsigned parameter lists its values: a count of pairs, then pairs of first and last; single ones; or both.
enum : uint64_t { kUintRange = 0, kUintList = 1, kUintMix = 2 };
std::vector<uint64_t> unsigned_values(std::initializer_list<uint64_t> given);

int declare_template(const TemplateParameters& parameters);
int select_templates(const std::vector<TemplateParameters>& selections);
// Returns and stores the tiling key of these arguments. Ends the tiling function for a combination that does not
// exist.
uint64_t template_key(const std::vector<uint64_t>& arguments);
template <typename... Arguments>
inline uint64_t template_key_of(Arguments... arguments) {
  return template_key({static_cast<uint64_t>(arguments)...});
}

}  // namespace kgnpu_host

#include "../../../../kgnpu/template_types.h"

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8
#define ASCENDC_TPL_UI_RANGE ::kgnpu_host::kUintRange
#define ASCENDC_TPL_UI_LIST ::kgnpu_host::kUintList
#define ASCENDC_TPL_UI_MIX ::kgnpu_host::kUintMix
#define ASCENDC_TPL_INPUT(index) (0x100 + (index))
#define ASCENDC_TPL_OUTPUT(index) (0x200 + (index))

#define KG_TPL_PARAMETER(name, kind, width, ...) \
  ::kgnpu_host::TemplateParameter { #name, ::kgnpu_host::TemplateParameter::kind, width, __VA_ARGS__ }
#define ASCENDC_TPL_DTYPE_DECL(name, ...) KG_TPL_PARAMETER(name, kNumber, 8, {__VA_ARGS__})
#define ASCENDC_TPL_DATATYPE_DECL(name, ...) KG_TPL_PARAMETER(name, kType, 8, {__VA_ARGS__})
#define ASCENDC_TPL_FORMAT_DECL(name, ...) KG_TPL_PARAMETER(name, kNumber, 8, {__VA_ARGS__})
#define ASCENDC_TPL_UINT_DECL(name, bits, ...) \
  KG_TPL_PARAMETER(name, kNumber, bits, ::kgnpu_host::unsigned_values({__VA_ARGS__}))
#define ASCENDC_TPL_BOOL_DECL(name, ...) KG_TPL_PARAMETER(name, kNumber, 1, {__VA_ARGS__})
#define ASCENDC_TPL_DTYPE_SEL(name, ...) ASCENDC_TPL_DTYPE_DECL(name, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(name, ...) ASCENDC_TPL_DATATYPE_DECL(name, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(name, ...) ASCENDC_TPL_FORMAT_DECL(name, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(name, ...) ASCENDC_TPL_UINT_DECL(name, 0, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(name, ...) ASCENDC_TPL_BOOL_DECL(name, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(name, ...) KG_TPL_PARAMETER(name, kTask, 8, {__VA_ARGS__})
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(name, ...) ASCENDC_TPL_KERNEL_TYPE_DECL(name, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) KG_TPL_PARAMETER(kernel_type, kOnlyTask, 8, {__VA_ARGS__})
#define ASCENDC_TPL_DETERMINISTIC_DECL(name, ...) KG_TPL_PARAMETER(name, kOther, 0, {})
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) KG_TPL_PARAMETER(deterministic, kOther, 0, {})
#define ASCENDC_TPL_TILING_STRUCT_SEL(...) KG_TPL_PARAMETER(tiling_structure, kOther, 0, {})

#define KG_TPL_JOIN_(a, b) a##b
#define KG_TPL_JOIN(a, b) KG_TPL_JOIN_(a, b)
#define ASCENDC_TPL_ARGS_DECL(op_type, ...)                                                  \
  static const int KG_TPL_JOIN(kg_template_declared_, __COUNTER__) __attribute__((unused)) = \
      ::kgnpu_host::declare_template(::kgnpu_host::TemplateParameters{__VA_ARGS__});
#define ASCENDC_TPL_ARGS_SEL(...) \
  ::kgnpu_host::TemplateParameters { __VA_ARGS__ }
#define ASCENDC_TPL_SEL(...)                                                                 \
  static const int KG_TPL_JOIN(kg_template_selected_, __COUNTER__) __attribute__((unused)) = \
      ::kgnpu_host::select_templates(std::vector<::kgnpu_host::TemplateParameters>{__VA_ARGS__});
#define GET_TPL_TILING_KEY(...) ::kgnpu_host::template_key_of(__VA_ARGS__)
#define ASCENDC_TPL_SEL_PARAM(context, ...) (context)->SetTilingKey(::kgnpu_host::template_key_of(__VA_ARGS__))
