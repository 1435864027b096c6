#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

namespace kg::proto {

// Version of every message between kgtrain's processes. A peer with another version is refused with both named.
inline constexpr std::uint32_t kProtocolVersion = 4;

// One protobuf message is one ZeroMQ frame; on a ROUTER it follows the peer's identity frame.
struct RoutedFrame {
  std::string identity;
  std::string payload;
  std::string user;  // the CURVE key that the peer has proved; empty over a local socket
};

// DEALER side. receive() waits at most `timeout_ms` (-1: for ever) and gives nothing on time-out.
void send_message(zmq::socket_t& socket, const google::protobuf::MessageLite& message);
std::optional<std::string> receive_payload(zmq::socket_t& socket, int timeout_ms);

// ROUTER side. send_to() is false if the peer is gone (mandatory routing).
bool send_to(zmq::socket_t& socket, const std::string& identity, const google::protobuf::MessageLite& message);
std::optional<RoutedFrame> receive_routed(zmq::socket_t& socket, int timeout_ms);

// Over a pipe or a stream socket: 4-byte little-endian length, 4-byte XXH3 checksum, then the message. read_framed is
// false on a clean end of stream; throws Error on a torn, oversized or corrupt frame.
void write_framed(int descriptor, const google::protobuf::MessageLite& message);
bool read_framed(int descriptor, google::protobuf::MessageLite& message);

}  // namespace kg::proto
