#include "proto/frame.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/hash.h"

namespace kg::proto {
namespace {

// Asks the socket first: what is there costs no system call then.
bool receive_part(zmq::socket_t& socket, zmq::message_t& part, int timeout_ms) {
  try {
    if (socket.recv(part, zmq::recv_flags::dontwait)) return true;
    if (timeout_ms == 0) return false;
    zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::milliseconds(timeout_ms));
    return (item.revents & ZMQ_POLLIN) != 0 && socket.recv(part, zmq::recv_flags::dontwait).has_value();
  } catch (const zmq::error_t& error) {
    if (error.num() == EINTR) return false;
    throw;
  }
}

// A message is one frame; what a foreign peer sends beyond that is dropped.
void drop_rest(zmq::socket_t& socket, const zmq::message_t& last) {
  if (!last.more()) return;
  for (zmq::message_t extra; socket.recv(extra, zmq::recv_flags::dontwait) && extra.more();) {
  }
}

zmq::message_t serialized(const google::protobuf::MessageLite& message) {
  zmq::message_t bytes(message.ByteSizeLong());
  message.SerializeWithCachedSizesToArray(static_cast<std::uint8_t*>(bytes.data()));
  return bytes;
}

// On a socket whose other side has died an error is wanted, not SIGPIPE; a pipe has no such option.
bool write_all(int descriptor, std::string_view bytes) {
  return send_fully(descriptor, bytes) || (errno == ENOTSOCK && write_fully(descriptor, bytes));
}

bool read_all(int descriptor, char* to, std::size_t size, bool end_allowed) {
  const std::size_t got = read_fully(descriptor, to, size);
  if (got == size) return true;
  if (got == 0 && errno == 0 && end_allowed) return false;
  throw Error("the stream ended inside a message", "descriptor " + std::to_string(descriptor),
              "look at the other process's log", Error::Kind::kFailed);
}

}  // namespace

void send_message(zmq::socket_t& socket, const google::protobuf::MessageLite& message) {
  socket.send(serialized(message), zmq::send_flags::none);
}

std::optional<std::string> receive_payload(zmq::socket_t& socket, int timeout_ms) {
  zmq::message_t part;
  if (!receive_part(socket, part, timeout_ms)) return std::nullopt;
  drop_rest(socket, part);
  return part.to_string();
}

bool send_to(zmq::socket_t& socket, const std::string& identity, const google::protobuf::MessageLite& message) {
  try {
    if (!socket.send(zmq::buffer(identity), zmq::send_flags::sndmore | zmq::send_flags::dontwait)) return false;
    return socket.send(serialized(message), zmq::send_flags::dontwait).has_value();
  } catch (const zmq::error_t& error) {
    if (error.num() == EHOSTUNREACH) return false;
    throw;
  }
}

std::optional<RoutedFrame> receive_routed(zmq::socket_t& socket, int timeout_ms) {
  zmq::message_t part;
  if (!receive_part(socket, part, timeout_ms)) return std::nullopt;
  RoutedFrame frame{part.to_string(), {}, {}};
  if (!part.more() || !socket.recv(part, zmq::recv_flags::none)) return frame;
  frame.payload = part.to_string();
  if (const char* user = zmq_msg_gets(part.handle(), "User-Id"); user != nullptr) frame.user = user;
  drop_rest(socket, part);
  return frame;
}

void write_framed(int descriptor, const google::protobuf::MessageLite& message) {
  std::string frame(8, '\0');
  KG_CHECK(message.AppendToString(&frame));
  const auto size = static_cast<std::uint32_t>(frame.size() - 8);
  KG_CHECK_EQ(static_cast<std::size_t>(size), frame.size() - 8);
  const auto checksum = static_cast<std::uint32_t>(hash64(std::string_view(frame).substr(8)));
  std::memcpy(frame.data(), &size, 4);
  std::memcpy(frame.data() + 4, &checksum, 4);
  if (!write_all(descriptor, frame))
    throw Error(std::string("cannot send a message: ") + std::strerror(errno),
                "descriptor " + std::to_string(descriptor), "look at the other process's log", Error::Kind::kFailed);
}

bool read_framed(int descriptor, google::protobuf::MessageLite& message) {
  char head[8];
  if (!read_all(descriptor, head, sizeof(head), /*end_allowed=*/true)) return false;
  std::uint32_t size = 0, checksum = 0;
  std::memcpy(&size, head, 4);
  std::memcpy(&checksum, head + 4, 4);
  if (size > 0x7fffffffu)
    throw Error("a message claims " + std::to_string(size) + " bytes, at most 2147483647 are allowed",
                "descriptor " + std::to_string(descriptor), "the other side is not a kgtrain process of this version",
                Error::Kind::kFailed);
  // In pieces, each as large as what is there: a length that is claimed costs no memory before the bytes come.
  constexpr std::size_t kFirstPiece = std::size_t{64} << 10, kLargestPiece = std::size_t{16} << 20;
  std::string payload;
  while (payload.size() < size) {
    const std::size_t begin = payload.size();
    const std::size_t piece = std::min<std::size_t>(std::clamp(begin, kFirstPiece, kLargestPiece), size - begin);
    payload.resize(begin + piece);
    read_all(descriptor, payload.data() + begin, piece, /*end_allowed=*/false);
  }
  if (static_cast<std::uint32_t>(hash64(payload)) != checksum || !message.ParseFromString(payload))
    throw Error("a message of " + std::to_string(size) + " bytes is corrupt",
                "descriptor " + std::to_string(descriptor), "the other side is not a kgtrain process of this version",
                Error::Kind::kFailed);
  return true;
}

}  // namespace kg::proto
