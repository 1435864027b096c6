#pragma once

#include <string>
#include <vector>

#include "sandbox/checks/call_forms.h"

// Right and wrong calls made from the headers' table of forms: every form with every data type that it takes is right;
// what models get wrong (too few and too many arguments, data types, mixed and swapped operands, GM for UB, literals of
// another type) is wrong. A call that lands in the headers is in here without further ado.
namespace kg::npu::testing {

struct GeneratedCall {
  std::string name;       // of the call
  std::string kind;       // what is wrong; empty: nothing
  std::string statement;  // names of prelude()
};

// Tensors, scalars and parameters of every type, as declarations in a function.
std::string prelude();

std::vector<GeneratedCall> right_calls(const sandbox::CallForms& forms);
std::vector<GeneratedCall> wrong_calls(const sandbox::CallForms& forms);
// Over tensors of int4b_t, which DataCopy and DataCopyPad take (and Cast, which is not regular), and no other call of
// one data type.
std::vector<GeneratedCall> wrong_int4_calls(const sandbox::CallForms& forms);

}  // namespace kg::npu::testing
