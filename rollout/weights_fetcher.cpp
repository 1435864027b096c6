#include "rollout/weights_fetcher.h"

#include <zmq.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "proto/frame.h"
#include "rollout/curve_keys.h"
#include "rollout/endpoint.h"
#include "rollout/tick.h"
#include "rollout/weights_channel.h"

namespace kg::rollout {
namespace {

constexpr double kPatienceSeconds = 60;  // without a byte

zmq::socket_t connected(zmq::context_t& context, const WeightsSource& source) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  // The first requests wait for the connection: one that is not sent would be asked for again only when it is overdue.
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::reconnect_ivl, 100);
  socket.set(zmq::sockopt::reconnect_ivl_max, 2000);
  if (is_remote(source.coordinator)) secure_client(socket, source.keys_folder, source.key_name);
  socket.connect(weights_endpoint(source.coordinator));
  return socket;
}

}  // namespace

WeightsFetcher::WeightsFetcher(const proto::WeightsManifest& manifest, const fs::path& cache,
                               const WeightsSource& source)
    : version_(manifest.version()), thread_([this, manifest, cache, source] {
        try {
          run(manifest, cache, source);
        } catch (const std::exception& error) {
          const std::lock_guard lock(mutex_);
          error_ = error.what();
        }
      }) {}

WeightsFetcher::~WeightsFetcher() {
  stopping_ = true;
  thread_.join();
}

bool WeightsFetcher::finished() const {
  const std::lock_guard lock(mutex_);
  return local_.has_value();
}

std::string WeightsFetcher::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

LocalWeights WeightsFetcher::take() {
  const std::lock_guard lock(mutex_);
  return std::move(*local_);
}

void WeightsFetcher::run(const proto::WeightsManifest& manifest, const fs::path& cache, const WeightsSource& source) {
  zmq::context_t context(1);
  zmq::socket_t socket = connected(context, source);
  WeightsFetch fetch(manifest, cache, [&](const proto::FetchWeights& request) {
    proto::RolloutMessage message;
    message.set_protocol(proto::kProtocolVersion);
    *message.mutable_fetch() = request;
    // What cannot be sent now is asked for again when it is overdue.
    [[maybe_unused]] const auto sent = socket.send(zmq::buffer(message.SerializeAsString()), zmq::send_flags::dontwait);
  });
  const double began = monotonic_seconds();
  double moved = began;
  while (!stopping_ && fetch.error().empty() && !fetch.finished()) {
    const double now = monotonic_seconds();
    const std::uint64_t before = fetch.bytes_received();
    fetch.tick(now);
    if (fetch.finished()) break;
    const auto payload = proto::receive_payload(socket, kTickMilliseconds);
    proto::RolloutMessage message;
    if (payload && message.ParseFromString(*payload) && message.has_chunk())
      fetch.receive(message.chunk(), monotonic_seconds());
    if (fetch.bytes_received() != before || fetch.waits_for_another()) {
      moved = monotonic_seconds();
      ++progress_;
    }
    if (monotonic_seconds() > moved + kPatienceSeconds)
      throw Error("nothing has come from " + weights_endpoint(source.coordinator) + " for " +
                      std::to_string(static_cast<int>(kPatienceSeconds)) + " s",
                  "weights of version " + std::to_string(manifest.version()),
                  "the port above the coordinator's must be open too", Error::Kind::kFailed);
  }
  if (fetch.finished() && fetch.bytes_received() > 0)
    spdlog::info("weights of version {}: {} bytes in {:.2f} s", manifest.version(), fetch.bytes_received(),
                 monotonic_seconds() - began);
  const std::lock_guard lock(mutex_);
  error_ = fetch.error();
  if (fetch.finished()) local_.emplace(fetch.take());
}

}  // namespace kg::rollout
