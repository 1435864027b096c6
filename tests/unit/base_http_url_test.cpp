#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/http/url.h"

namespace kg::http {
namespace {

TEST(HttpUrl, OriginAndPathAreTakenApart) {
  const Url plain = parse_url("http://127.0.0.1:8000");
  EXPECT_EQ(plain.origin, "http://127.0.0.1:8000");
  EXPECT_EQ(plain.path, "");
  EXPECT_FALSE(plain.secure);
  const Url deep = parse_url("https://host.example/openai/v1/");
  EXPECT_EQ(deep.origin, "https://host.example");
  EXPECT_EQ(deep.path, "/openai/v1");
  EXPECT_TRUE(deep.secure);
  EXPECT_EQ(parse_url("http://[::1]:9/v1").origin, "http://[::1]:9");
}

TEST(HttpUrl, WhatIsNoAddressIsRefusedWithTheReason) {
  const auto why = [](const std::string& text) -> std::string {
    try {
      parse_url(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_THAT(why("localhost:8000"), testing::HasSubstr("neither http:// nor https://"));
  EXPECT_THAT(why("http://"), testing::HasSubstr("does not name a host"));
  EXPECT_THAT(why("http://:80/"), testing::HasSubstr("does not name a host"));
  EXPECT_THAT(why("http://host:port/"), testing::HasSubstr("port is \"port\""));
  EXPECT_THAT(why("http://host:70000"), testing::HasSubstr("port is \"70000\""));
  EXPECT_THAT(why("http://me:secret@host/"), testing::HasSubstr("environment variable"));
  EXPECT_THAT(why("http://host/v1?key=1"), testing::HasSubstr("query"));
  EXPECT_THAT(why("http://host/a b"), testing::HasSubstr("printable"));
}

}  // namespace
}  // namespace kg::http
