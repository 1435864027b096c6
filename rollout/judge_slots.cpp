#include "rollout/judge_slots.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "rollout/endpoint.h"

namespace kg::rollout {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(5);

}  // namespace

JudgeSlot::JudgeSlot(const fs::path& folder, unsigned count) {
  // Whichever is free. Where none is, one process at a time looks again and again, the others wait for its turn: a slot
  // that becomes free is taken at once, whichever it is.
  const auto open_slot = [&](unsigned slot) {
    const fs::path path = folder / ("slot-" + std::to_string(slot));
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0)
      throw Error(std::string("cannot open a judge slot: ") + std::strerror(errno), path.string(),
                  "check that the folder is writable", Error::Kind::kEnvironment);
    return descriptor;
  };
  const unsigned first = static_cast<unsigned>(::getpid()) % count;
  const auto take_free = [&] {
    for (unsigned i = 0; i < count; ++i) {
      descriptor_ = open_slot((first + i) % count);
      if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
      ::close(descriptor_);
      descriptor_ = -1;
    }
    return false;
  };
  if (take_free()) return;
  const WaitingLock turn(folder / "turn");
  while (!take_free()) std::this_thread::sleep_for(kLookAgain);
}

JudgeSlot::~JudgeSlot() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

fs::path judge_slot_folder() { return private_folder("judge-slots"); }

}  // namespace kg::rollout
