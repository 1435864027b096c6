#include "npu/launch/shared_object.h"

#include <dlfcn.h>
#include <link.h>

#include "base/error.h"

namespace kg::npu {

SharedObject::SharedObject(const std::string& path)
    : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) fail(dlerror());
}

SharedObject::~SharedObject() {
  if (handle_ != nullptr) dlclose(handle_);
}

std::uint64_t SharedObject::base() const {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) fail(dlerror());
  return map->l_addr;
}

void SharedObject::fail(const std::string& reason) const {
  throw Error("cannot load the compiled host function: " + reason, path_,
              "compile it with plain_flags() and host_function_epilogue(), and link the program with ENABLE_EXPORTS",
              Error::Kind::kFailed);
}

void* SharedObject::address_of(const char* name) const { return dlsym(handle_, name); }

}  // namespace kg::npu
