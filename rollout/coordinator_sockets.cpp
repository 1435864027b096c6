#include "rollout/coordinator_sockets.h"

#include <sys/resource.h>

#include "base/error.h"
#include "base/log.h"
#include "proto/frame.h"
#include "rollout/curve_keys.h"
#include "rollout/endpoint.h"
#include "rollout/rendezvous.h"

namespace kg::rollout {
namespace {

constexpr std::int64_t kLargestMessage = 64 << 20;
constexpr int kPortsTried = 20;
constexpr int kConnectionsAtOnce = 4096;  // that wait to be accepted

// A connection is a descriptor, and the usual soft limit of 1024 would keep the thousandth worker out.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) spdlog::warn("the limit of open files stays as it is");
}

}  // namespace

CoordinatorSockets::CoordinatorSockets(CoordinatorState& state)
    : state_(state),
      router_(context_, zmq::socket_type::router),
      endpoint_(bind_local()),
      weights_(context_, state.weights, endpoint_) {
  const CoordinatorOptions& options = state_.options;
  std::string server_public;
  if (!options.bind.empty()) {
    if (!is_remote(options.bind))
      throw Error("cannot listen for other hosts at \"" + options.bind + "\"", "bind", "wanted tcp://ADDRESS:PORT");
    // Options count for the binds that follow: the local socket is guarded by its folder, this one by keys.
    const fs::path keys = options.keys_folder.empty() ? options.run_folder / "keys" : options.keys_folder;
    secure_server(router_, keys);
    server_public = read_public_key(keys / "server.pub");
    state_.allowed.emplace(keys);
    authenticator_.emplace(context_, *state_.allowed);
    bind_remote(keys);
    remote_endpoint_ = with_host_name(router_.get(zmq::sockopt::last_endpoint));
  }
  write_rendezvous(options.run_folder, {.run = options.run,
                                        .lineage = state_.lineage.number,
                                        .endpoint = endpoint_,
                                        .remote_endpoint = remote_endpoint_,
                                        .server_public = server_public,
                                        .judge_version = options.judge_version,
                                        .protocol = proto::kProtocolVersion});
  weights_.start();
}

// Before the authenticator, which both sockets ask.
CoordinatorSockets::~CoordinatorSockets() { router_.close(); }

std::string CoordinatorSockets::bind_local() {
  raise_descriptor_limit();
  // A worker that comes back under its identity takes the place of its broken connection.
  router_.set(zmq::sockopt::router_mandatory, true);
  router_.set(zmq::sockopt::router_handover, true);
  router_.set(zmq::sockopt::linger, 500);
  router_.set(zmq::sockopt::maxmsgsize, kLargestMessage);
  router_.set(zmq::sockopt::backlog, kConnectionsAtOnce);
  router_.set(zmq::sockopt::affinity, std::uint64_t{1});
  std::string endpoint = local_endpoint(state_.options.run_folder, "coordinator");
  router_.bind(endpoint);
  return endpoint;
}

// At the address of the options, and one port above it for the weights. If any port will do, both are looked for.
void CoordinatorSockets::bind_remote(const fs::path& keys) {
  const bool any_port = state_.options.bind.ends_with(":*") || state_.options.bind.ends_with(":0");
  for (int attempt = any_port ? kPortsTried : 1; attempt > 0; --attempt) {
    try {
      router_.bind(state_.options.bind);
    } catch (const zmq::error_t& error) {
      throw Error("cannot listen at " + state_.options.bind + ": " + error.what(), "bind",
                  "choose another address or port", Error::Kind::kEnvironment);
    }
    const std::string bound = router_.get(zmq::sockopt::last_endpoint);
    if (weights_.bind_remote(weights_endpoint(bound), keys)) return;
    router_.unbind(bound);
  }
  throw Error("the port above that of " + state_.options.bind + " is taken", "bind",
              "the weights are served there: choose a port with a free one above it", Error::Kind::kEnvironment);
}

bool CoordinatorSockets::send(const std::string& identity, proto::RolloutMessage message) {
  message.set_protocol(proto::kProtocolVersion);
  return proto::send_to(router_, identity, message);
}

}  // namespace kg::rollout
