#include "trainer/stop_signal.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "base/exit_status.h"

namespace kg::trainer {
namespace {

std::atomic<int> requested = 0;  // the signal; lock-free, as a handler needs it
std::atomic<int> interrupts = 0;

void on_signal(int signal) {
  if (signal == SIGINT && ++interrupts > 1) ::_exit(128 + SIGINT);
  // Seconds pass until the step is done and its checkpoint is written.
  constexpr char kSaid[] = "\nstopping after this step, with a checkpoint; press Ctrl-C again to stop at once\n";
  if (signal == SIGINT) [[maybe_unused]]
    const ssize_t written = ::write(STDERR_FILENO, kSaid, sizeof kSaid - 1);
  requested = signal;
}

}  // namespace

void watch_stop_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() { return requested != 0; }
// Not requested here: another of the learners that train together received the signal.
int stop_status() { return requested == SIGINT ? 128 + SIGINT : kStoppedStatus; }

}  // namespace kg::trainer
