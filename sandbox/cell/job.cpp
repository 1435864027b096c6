#include "sandbox/cell/job.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace kg::sandbox {
namespace {

// A command line with its paths; the kernel itself never travels this way.
constexpr std::size_t kLargestJob = 128 * 1024;
constexpr std::size_t kDescriptors = 3;

std::string encode(const Job& job) {
  return nlohmann::json{
      {"kind", static_cast<int>(job.kind)},
      {"command", job.command},
      {"object", job.launch.object},
      {"entry_point", job.launch.entry_point},
      {"block_dim", job.launch.block_dim},
      {"workspace_bytes", job.launch.workspace_bytes},
      {"core_order_seed", job.launch.core_order_seed},
      {"cycle_limit", job.launch.cycle_limit},
      {"want_timeline", job.launch.want_timeline},
      {"want_profile", job.launch.want_profile},
      {"cpu_seconds", job.cpu_seconds},
      {"memory_bytes", job.memory_bytes},
      {"data_bytes", job.data_bytes},
      {"file_bytes", job.file_bytes},
      {"processes", job.processes},
  }
      .dump();
}

Job decode(const std::string& text) {
  const auto fields = nlohmann::json::parse(text);
  Job job;
  job.kind = static_cast<Job::Kind>(fields.at("kind").get<int>());
  fields.at("command").get_to(job.command);
  fields.at("object").get_to(job.launch.object);
  fields.at("entry_point").get_to(job.launch.entry_point);
  fields.at("block_dim").get_to(job.launch.block_dim);
  fields.at("workspace_bytes").get_to(job.launch.workspace_bytes);
  fields.at("core_order_seed").get_to(job.launch.core_order_seed);
  fields.at("cycle_limit").get_to(job.launch.cycle_limit);
  fields.at("want_timeline").get_to(job.launch.want_timeline);
  fields.at("want_profile").get_to(job.launch.want_profile);
  fields.at("cpu_seconds").get_to(job.cpu_seconds);
  fields.at("memory_bytes").get_to(job.memory_bytes);
  fields.at("data_bytes").get_to(job.data_bytes);
  fields.at("file_bytes").get_to(job.file_bytes);
  fields.at("processes").get_to(job.processes);
  return job;
}

Error socket_error(const std::string& what) {
  return Error(what + ": " + std::strerror(errno), "control socket of a cell", "try again; the cell will be restarted",
               Error::Kind::kFailed);
}

}  // namespace

void send_job(int socket, const Job& job, int input, int output, int result) {
  const std::string text = encode(job);
  if (text.size() > kLargestJob)
    throw Error("a job of " + std::to_string(text.size()) + " bytes, at most " + std::to_string(kLargestJob) + " fit",
                "control socket of a cell", "shorten the entry point's name", Error::Kind::kFailed);
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(kDescriptors * sizeof(int));
  const int descriptors[kDescriptors] = {input, output, result};
  std::memcpy(CMSG_DATA(header), descriptors, sizeof(descriptors));
  while (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) throw socket_error("cannot send a job");
}

bool receive_job(int socket, ReceivedJob& received) {
  std::string text(kLargestJob, '\0');
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t size;
  while ((size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0)
    if (errno != EINTR) throw socket_error("cannot receive a job");
  if (size == 0) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(kDescriptors * sizeof(int)))
    throw Error("a job arrived without its descriptors", "control socket of a cell", "report this",
                Error::Kind::kFailed);
  int descriptors[kDescriptors];
  std::memcpy(descriptors, CMSG_DATA(header), sizeof(descriptors));
  received.input = Descriptor(descriptors[0]);
  received.output = Descriptor(descriptors[1]);
  received.result = Descriptor(descriptors[2]);
  text.resize(static_cast<std::size_t>(size));
  received.job = decode(text);
  return true;
}

}  // namespace kg::sandbox
