#include <google/protobuf/stubs/logging.h>

#include "base/error.h"
#include "base/hash.h"
#include "proto/frame.h"
#include "proto/rollout.pb.h"
#include "proto/sandbox.pb.h"
#include "tests/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);  // a line for each text that is no UTF-8
  return 0;
}

// What comes over a pipe: as it is; and as the message of a frame whose length and checksum are right.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](const std::uint8_t* bytes, std::size_t count) {
    const kg::testing::FuzzFile file(bytes, count);
    kg::proto::ExecutionRequest request;
    try {
      while (kg::proto::read_framed(file.number(), request)) {
      }
    } catch (const kg::Error&) {
    }
  };
  read(data, size);
  const std::string payload(reinterpret_cast<const char*>(data), size);
  std::string framed(8, '\0');
  const auto put = [&](std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) framed[at + i] = static_cast<char>(value >> (8 * i));
  };
  put(0, static_cast<std::uint32_t>(size));
  put(4, static_cast<std::uint32_t>(kg::hash64(payload)));
  framed += payload;
  read(reinterpret_cast<const std::uint8_t*>(framed.data()), framed.size());
  kg::proto::RolloutMessage message;
  if (message.ParseFromString(payload)) (void)message.SerializeAsString();
  return 0;
}
