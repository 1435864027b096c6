#include "rollout/judge_slots.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "rollout/endpoint.h"

namespace kg::rollout {

JudgeSlot::JudgeSlot(const fs::path& folder, unsigned count) {
  // First whichever is free; else wait at one of them, each process at its own, so that the waiting spread.
  const auto open_slot = [&](unsigned slot) {
    const fs::path path = folder / ("slot-" + std::to_string(slot));
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0)
      throw Error(std::string("cannot open a judge slot: ") + std::strerror(errno), path.string(),
                  "check that the folder is writable", Error::Kind::kEnvironment);
    return descriptor;
  };
  const unsigned first = static_cast<unsigned>(::getpid()) % count;
  for (unsigned i = 0; i < count; ++i) {
    descriptor_ = open_slot((first + i) % count);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    ::close(descriptor_);
  }
  descriptor_ = open_slot(first);
  while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

JudgeSlot::~JudgeSlot() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

fs::path judge_slot_folder() { return private_folder("judge-slots"); }

}  // namespace kg::rollout
