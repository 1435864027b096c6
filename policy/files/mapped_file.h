#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace kg::policy {

// A whole file mapped privately: pages come from the page cache when touched, and writes to them stay in
// this process. Shared ownership, so that tensors can alias the map.
class MappedFile {
 public:
  // Throws Error if the file cannot be read or is empty.
  static std::shared_ptr<MappedFile> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  char* data() { return data_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  MappedFile(std::filesystem::path path, char* data, std::size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}
  std::filesystem::path path_;
  char* data_;
  std::size_t size_;
};

}  // namespace kg::policy
