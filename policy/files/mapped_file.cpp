#include "policy/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/foreign_content.h"

namespace kg::policy {

std::shared_ptr<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw Error(std::string("cannot open the file: ") + std::strerror(errno), path.string(),
                "check the path and its permissions");
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
    ::close(descriptor);
    throw Error("not a regular file, or an empty one", path.string(),
                "give a model file; download it again if it is empty");
  }
  const std::size_t size = static_cast<std::size_t>(status.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
  const int mmap_errno = errno;
  ::close(descriptor);
  if (data == MAP_FAILED)
    throw Error(std::string("cannot map the file: ") + std::strerror(mmap_errno), path.string(), "free some memory",
                Error::Kind::kEnvironment);
  const std::string_view foreign = foreign_content({static_cast<const char*>(data), std::min<std::size_t>(size, 64)});
  if (!foreign.empty()) {
    const std::string what(foreign);
    ::munmap(data, size);
    throw Error("the model file is " + what, path.string(), kForeignContentHint);
  }
  return std::shared_ptr<MappedFile>(new MappedFile(path, static_cast<char*>(data), size));
}

MappedFile::~MappedFile() { ::munmap(data_, size_); }

}  // namespace kg::policy
