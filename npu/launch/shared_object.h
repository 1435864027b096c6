#pragma once

#include <cstdint>
#include <string>

namespace kg::npu {

// A compiled host function, loaded while this object lives. Throws Error if it cannot be loaded.
class SharedObject {
 public:
  explicit SharedObject(const std::string& path);
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  ~SharedObject();

  // Null if it exports no such name.
  template <typename T>
  T* find(const char* name) const {
    return reinterpret_cast<T*>(address_of(name));
  }
  std::uint64_t base() const;  // address that its symbols' values are relative to
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  void* address_of(const char* name) const;

  std::string path_;
  void* handle_;
};

}  // namespace kg::npu
