#pragma once

#include "base/options.h"

namespace kg::sandbox {

// --allow-less-isolation, for every program that starts sandboxes.
inline void declare_isolation(Options& options, bool& allow_less_isolation) {
  options.add("allow-less-isolation", allow_less_isolation,
              "run kernels even where the host forbids namespaces, with weaker isolation");
}

}  // namespace kg::sandbox
