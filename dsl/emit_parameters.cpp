#include "dsl/emit_text.h"
#include "dsl/scalar_text.h"

// How tensors reach the kernel.
namespace kg::dsl {

std::string parameters(const Form& form, const Code& code, const std::string& before, const std::string& after) {
  std::string text;
  for (const Parameter& parameter : form.checked.program.parameters)
    if (!parameter.scratch && parameter.place == 0)
      text += (text.empty() ? "" : ", ") + before +
              cpp_name(parameter.of_list.empty() ? parameter.name : parameter.of_list) + after;
  if (code.uses_workspace) text += ", " + before + "workspace";
  return text;
}

std::string launched_parameters(const Form& form, const Code& code, const std::string& before) {
  const std::vector<std::string>& signature = form.checked.program.signature;
  std::string text;
  for (std::size_t i = 0; i < signature.size(); ++i)
    text += (text.empty() ? "" : ", ") + before +
            (signature[i].empty() ? "unused" + std::to_string(i) : cpp_name(signature[i]));
  if (code.uses_workspace) text += ", GM_ADDR workspace";
  return text;
}

std::string tensor_address(const Parameter& parameter, const std::string& before) {
  const std::string type = cpp_type(parameter.dtype);
  if (!parameter.of_list.empty())
    return cpp_name(parameter.of_list) + "List.GetDataPtr<" + type + ">(" + std::to_string(parameter.place) + ")";
  return "(__gm__ " + type + "*)" + before + cpp_name(parameter.name);
}

void add_list(SourceText& text, const Parameter& parameter, int depth, const std::string& before) {
  if (parameter.of_list.empty() || parameter.place > 0) return;
  const std::string name = cpp_name(parameter.of_list);
  text.add(depth, "ListTensorDesc " + name + "List((__gm__ void*)" + before + name + ");", parameter.line);
}

}  // namespace kg::dsl
