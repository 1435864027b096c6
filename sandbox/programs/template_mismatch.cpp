#include "sandbox/programs/template_mismatch.h"

#include <regex>
#include <vector>

#include "base/join.h"

namespace kg::sandbox {
namespace {

// "D_T_X = float, TIMES = 2", which follows the arguments as a comment.
std::string declared_arguments(const std::string& prologue) {
  static const std::regex comment(R"(#define KG_TEMPLATE_ARGUMENTS [^\n]*  // ([^\n]*))");
  std::smatch match;
  return std::regex_search(prologue, match, comment) ? match[1].str() : std::string();
}

}  // namespace

bool is_template_mismatch(const std::string& output) {
  return output.find("<overloaded function type>") != std::string::npos;
}

std::string template_probe(const proto::HostPlan& plan) {
  std::vector<std::string> parameters(static_cast<std::size_t>(plan.inputs_size()) + 2, "GM_ADDR");
  for (const auto& output : plan.outputs())
    if (output.in_place_of().empty()) parameters.push_back("GM_ADDR");
  return "\n#line 1 \"entry point\"\nvoid (*kg_probe)(" + join(parameters) + ") = &::" + plan.kernel() +
         " KG_TEMPLATE_ARGUMENTS;\n";
}

std::string template_mismatch(const std::string& probed, const proto::HostPlan& plan) {
  static const std::regex wrong(
      R"re((\S+:\d+:\d+: )?note: [^\n]*(?:invalid explicitly-specified argument for template parameter '(\w+)'|couldn't infer template argument '(\w+)'|(too many template arguments)))re");
  std::smatch match;
  if (!std::regex_search(probed, match, wrong)) return {};
  const std::string given = "ASCENDC_TPL_ARGS_DECL, which gives " + declared_arguments(plan.prologue());
  const std::string start = match[1].str() + "error: ";
  if (match[2].matched)
    return start + "template parameter '" + match[2].str() + "' of " + plan.kernel() +
           " does not take its argument from " + given +
           "; ASCENDC_TPL_DATATYPE_DECL gives a type (for typename), every other declaration a number\n";
  if (match[3].matched)
    return start + "template parameter '" + match[3].str() + "' of " + plan.kernel() + " gets no argument from " +
           given + "; declare one for each template parameter, in order\n";
  return start + plan.kernel() + " has fewer template parameters than there are arguments in " + given + "\n";
}

}  // namespace kg::sandbox
