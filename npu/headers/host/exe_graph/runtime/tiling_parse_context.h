#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class TilingParseContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  const char* GetCompiledJson() const;
  void* GetCompiledInfo() const;
  template <typename T>
  T* GetCompiledInfo() const {
    return static_cast<T*>(GetCompiledInfo());
  }
  fe::PlatFormInfos* GetPlatformInfo() const;
};

using KernelContext = TilingParseContext;

}  // namespace gert
