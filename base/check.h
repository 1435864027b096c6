#pragma once

#include <sstream>
#include <string>

namespace kg::detail {

[[noreturn]] void check_failed(const char* file, int line, const char* expression, const std::string& values);

template <typename A, typename B>
std::string describe_pair(const A& a, const B& b) {
  std::ostringstream out;
  out << a << " against " << b;
  return out.str();
}

}  // namespace kg::detail

// A condition whose failure is a bug in kgtrain. Always on, in release builds too; prints both values and aborts.
#define KG_CHECK(condition) ((condition) ? (void)0 : ::kg::detail::check_failed(__FILE__, __LINE__, #condition, ""))
#define KG_CHECK_OP_(op, a, b)                                                           \
  do {                                                                                   \
    const auto& kg_check_a_ = (a);                                                       \
    const auto& kg_check_b_ = (b);                                                       \
    if (!(kg_check_a_ op kg_check_b_))                                                   \
      ::kg::detail::check_failed(__FILE__, __LINE__, #a " " #op " " #b,                  \
                                 ::kg::detail::describe_pair(kg_check_a_, kg_check_b_)); \
  } while (false)
#define KG_CHECK_EQ(a, b) KG_CHECK_OP_(==, a, b)
#define KG_CHECK_NE(a, b) KG_CHECK_OP_(!=, a, b)
#define KG_CHECK_LT(a, b) KG_CHECK_OP_(<, a, b)
#define KG_CHECK_LE(a, b) KG_CHECK_OP_(<=, a, b)
#define KG_CHECK_GT(a, b) KG_CHECK_OP_(>, a, b)
#define KG_CHECK_GE(a, b) KG_CHECK_OP_(>=, a, b)
