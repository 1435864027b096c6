// A generator for tests of the rollout protocol: answers with canned kernels after a moment, swaps weights whose file
// has the checksum, and loses everything when it is killed.
#include <unistd.h>

#include <deque>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "proto/frame.h"
#include "rollout/weights_files.h"

namespace kg::rollout {
namespace {

struct Waiting {
  std::string identity;
  proto::GenerateRequest request;
  double due = 0;
};

class FakeGenerator {
 public:
  FakeGenerator(const std::string& bind, double seconds) : seconds_(seconds) {
    router_.set(zmq::sockopt::router_mandatory, true);
    router_.set(zmq::sockopt::router_handover, true);
    router_.bind(bind);
  }

  [[noreturn]] void run() {
    for (;;) {
      if (const auto frame = proto::receive_routed(router_, 5)) handle(*frame);
      while (!waiting_.empty() && waiting_.front().due <= monotonic_seconds() &&
             waiting_.front().request.min_policy_version() <= version_) {
        answer(waiting_.front());
        waiting_.pop_front();
      }
    }
  }

 private:
  void reply(const std::string& identity, proto::GeneratorMessage message) {
    message.set_protocol(proto::kProtocolVersion);
    proto::send_to(router_, identity, message);
  }

  void handle(const proto::RoutedFrame& frame) {
    proto::GeneratorMessage message, out;
    message.ParseFromString(frame.payload);
    if (message.has_generate()) {
      waiting_.push_back({frame.identity, message.generate(), monotonic_seconds() + seconds_});
    } else if (message.has_swap()) {
      const proto::WeightsManifest& manifest = message.swap().manifest();
      auto& swapped = *out.mutable_swapped();
      swapped.set_request_id(message.swap().request_id());
      if (!weights_match(manifest))
        swapped.set_error("checksum does not match at " + manifest.path());
      else
        version_ = std::max<std::uint64_t>(version_, manifest.version());
      swapped.set_version(version_);
      reply(frame.identity, out);
    } else if (message.has_status_request()) {
      auto& status = *out.mutable_status();
      status.set_request_id(message.status_request().request_id());
      status.set_policy_version(version_);
      status.set_running(static_cast<std::uint32_t>(waiting_.size()));
      status.set_pid(::getpid());
      reply(frame.identity, out);
    }
  }

  void answer(const Waiting& waiting) {
    proto::GeneratorMessage out;
    auto& answer = *out.mutable_reply();
    answer.set_request_id(waiting.request.request_id());
    answer.set_policy_version(version_);
    for (std::uint32_t i = 0; i < waiting.request.count(); ++i) {
      proto::Completion& completion = *answer.add_completions();
      completion.set_text("sample " + std::to_string(waiting.request.first_sample() + i) + " of " +
                          (waiting.request.messages_size() > 0 ? waiting.request.messages(0).content() : ""));
      completion.add_policy_versions(version_);
      *completion.mutable_sampling() = waiting.request.sampling();
    }
    reply(waiting.identity, out);
  }

  double seconds_;
  zmq::context_t context_{1};
  zmq::socket_t router_{context_, zmq::socket_type::router};
  std::deque<Waiting> waiting_;
  std::uint64_t version_ = 0;
};

}  // namespace
}  // namespace kg::rollout

int main(int argc, char** argv) {
  kg::start_logging("fake-generator");
  return kg::run_program([&] {
    std::string model, bind, dtype;
    double seconds = 0.02;
    kg::Options options("fake-generator", "Answers with canned kernels.");
    options.add("model", model, "not used").add("endpoint", bind, "endpoint").required();
    options.add("seconds", seconds, "of a generation").add("dtype", dtype, "not used");
    if (!options.parse(argc, argv)) return 0;
    kg::rollout::FakeGenerator(bind, seconds).run();
  });
}
