// Frames over pipes: what is written is read; what is torn, corrupt or too large is an Error.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>

#include "base/error.h"
#include "proto/frame.h"
#include "proto/sandbox.pb.h"

namespace kg::proto {
namespace {

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    close_writing();
    ::close(ends_[0]);
  }
  void put(const std::string& bytes) const {
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{-1, -1};
};

ExecutionRequest request() {
  ExecutionRequest made;
  made.set_entry_point("add_custom");
  return made;
}

// The bytes of a frame as write_framed makes them.
std::string frame_of(const ExecutionRequest& message) {
  const Pipe pipe;
  write_framed(pipe.writing(), message);
  std::string bytes(4096, '\0');
  const ssize_t n = ::read(pipe.reading(), bytes.data(), bytes.size());
  bytes.resize(static_cast<std::size_t>(n));
  return bytes;
}

TEST(Frame, WhatIsWrittenIsReadAndTheEndIsNoError) {
  Pipe pipe;
  write_framed(pipe.writing(), request());
  write_framed(pipe.writing(), ExecutionRequest{});
  pipe.close_writing();
  ExecutionRequest read;
  ASSERT_TRUE(read_framed(pipe.reading(), read));
  EXPECT_EQ(read.entry_point(), "add_custom");
  ASSERT_TRUE(read_framed(pipe.reading(), read));
  EXPECT_EQ(read.entry_point(), "");
  EXPECT_FALSE(read_framed(pipe.reading(), read));
}

TEST(Frame, WhatIsTornOrCorruptIsAnError) {
  const std::string whole = frame_of(request());
  for (std::size_t length = 1; length < whole.size(); ++length) {
    Pipe pipe;
    pipe.put(whole.substr(0, length));
    pipe.close_writing();
    ExecutionRequest read;
    EXPECT_THROW(read_framed(pipe.reading(), read), Error) << length;
  }
  for (std::size_t at = 4; at < whole.size(); ++at) {
    std::string bent = whole;
    bent[at] = static_cast<char>(bent[at] ^ 0x20);
    Pipe pipe;
    pipe.put(bent);
    pipe.close_writing();
    ExecutionRequest read;
    EXPECT_THROW(read_framed(pipe.reading(), read), Error) << at;
  }
}

TEST(Frame, ALengthThatIsClaimedCostsNoMemory) {
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  Pipe pipe;
  pipe.put(std::string("\xff\xff\xff\x7f", 4) + "sum!some bytes");
  pipe.close_writing();
  ExecutionRequest read;
  EXPECT_THROW(read_framed(pipe.reading(), read), Error);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10);  // KiB
}

}  // namespace
}  // namespace kg::proto
