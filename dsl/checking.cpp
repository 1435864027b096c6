#include "dsl/checking.h"

namespace kg::dsl {

void add_constant(Checking& in, const std::string& name, std::int64_t value) {
  in.seen.scope.add(name, {.type = {.kind = Type::Kind::kInt}, .fixed = true, .linear = Linear{.constant = value}});
}

void require_free(const Checking& in, const std::string& name, int line) {
  if (parameter_of(in.seen, name) >= 0)
    throw Refusal(line, name, name + " is a tensor in global memory; write it with store, or use another name");
  if (const Variable* found = in.seen.scope.find(name); found != nullptr && found->fixed)
    throw Refusal(line, name, name + " is an extent or a loop's variable and cannot be set");
}

void require_new(const Checking& in, const std::string& name, int line, const std::string& text,
                 const std::string& what) {
  require_free(in, name, line);
  if (in.seen.scope.find(name) != nullptr)
    throw Refusal(line, text, name + " is set already; " + what + " needs a name of its own");
}

}  // namespace kg::dsl
