#pragma once

#include <string>
#include <utility>

#include "proto/generate.pb.h"

namespace kg::proto {

inline ChatMessage chat_message(const char* role, std::string content) {
  ChatMessage made;
  made.set_role(role);
  made.set_content(std::move(content));
  return made;
}

}  // namespace kg::proto
