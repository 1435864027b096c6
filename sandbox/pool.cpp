#include "sandbox/pool.h"

namespace kg::sandbox {

int sandbox_count(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void for_each_in_sandboxes(std::size_t count, int jobs, const SandboxOptions& options,
                           const std::function<void(Sandbox&, std::size_t)>& work) {
  struct Done {};
  OrderedPool<Done> pool({.end = count, .ahead = count, .jobs = jobs, .sandbox = options},
                         [&](Sandbox& sandbox, std::uint64_t i) {
                           work(sandbox, i);
                           return Done{};
                         });
  for (std::size_t i = 0; i < count; ++i) pool.take();
}

}  // namespace kg::sandbox
