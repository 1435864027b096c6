// Frames to and from Python: the bytes of docs/design/python-pipes.md, both sides alike, and what is no frame is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/child_process.h"
#include "base/error.h"
#include "proto/json_frame.h"

namespace kg::proto {
namespace {

using ::testing::HasSubstr;

// The example of docs/design/python-pipes.md.
const std::string kExample("\x17\0\0\0\0\0\0\0\x0f\0\0\0{\"do\": \"hello\"}\x00\x00\x80\x3f", 31);

TEST(JsonFrame, TheExampleOfThePageIsRead) {
  EXPECT_EQ(json_frame_size(kExample), 31u);
  const JsonFrame frame = decode_json_frame(kExample);
  EXPECT_EQ(frame.header.at("do"), "hello");
  EXPECT_EQ(frame.payload, std::string_view("\x00\x00\x80\x3f", 4));
}

TEST(JsonFrame, WhatIsEncodedIsDecoded) {
  const std::string bytes = encode_json_frame({{"numbers", {1, 2}}}, {"ab", "", "c"});
  EXPECT_EQ(json_frame_size(std::string_view(bytes).substr(0, 7)), std::nullopt);
  EXPECT_EQ(json_frame_size(bytes), bytes.size());
  const JsonFrame frame = decode_json_frame(bytes);
  EXPECT_EQ(frame.header, nlohmann::json({{"numbers", {1, 2}}}));
  EXPECT_EQ(frame.payload, "abc");
}

TEST(JsonFrame, WhatIsNoFrameIsRefused) {
  const auto why = [](const std::string& bytes) {
    try {
      decode_json_frame(bytes);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_THAT(why(""), HasSubstr("without a header"));
  EXPECT_THAT(why(kExample.substr(0, 30)), HasSubstr("without a header"));
  EXPECT_THAT(why(std::string("\x04\0\0\0\0\0\0\0\x0f\0\0\0", 12)), HasSubstr("longer than its message"));
  EXPECT_THAT(why(std::string("\x06\0\0\0\0\0\0\0\x02\0\0\0[]", 14)), HasSubstr("no JSON object"));
  EXPECT_EQ(json_frame_size(std::string(8, '\xff')), UINT64_MAX);
}

TEST(JsonFrame, PythonReadsAndWritesTheSame) {
  ChildProcess python({.words = {"python3", "-B", "-c",
                                 "import json_frame\n"
                                 "while frame := json_frame.read(0):\n"
                                 "    header, payload = frame\n"
                                 "    json_frame.write(1, {'had': len(payload), **header}, payload, b'', b'end')\n"},
                       .environment = {"PYTHONPATH=" + json_frame_folder()},
                       .input = ChildCommand::kPipe,
                       .output = ChildCommand::kPipe});
  const std::string payload(3 << 20, 'p');
  for (const std::string& part : {std::string(), payload}) {
    ASSERT_TRUE(send_fully(python.input().number(), encode_json_frame({{"do", "echo"}}, {part})));
    const auto front = read_json_frame_front(python.output().number());
    ASSERT_TRUE(front.has_value());
    EXPECT_EQ(front->header, nlohmann::json({{"do", "echo"}, {"had", part.size()}}));
    std::string back(front->payload, '\0');
    ASSERT_EQ(read_fully(python.output().number(), back.data(), back.size()), back.size());
    EXPECT_EQ(back, part + "end");
  }
  ASSERT_TRUE(send_fully(python.input().number(), kExample));
  EXPECT_EQ(read_json_frame_front(python.output().number())->payload, 7u);
  python.input().close();
}

TEST(JsonFrame, TheEndOfTheStreamIsNoFrame) {
  ChildProcess child({.words = {"printf", "torn"}, .output = ChildCommand::kPipe});
  EXPECT_FALSE(read_json_frame_front(child.output().number()).has_value());
}

}  // namespace
}  // namespace kg::proto
