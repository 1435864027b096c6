#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/file.h"
#include "service/quota.h"

namespace kg::service {

struct Caller {
  std::string name;
  Quota quota;
};

// Who may send requests: a TOML file of mode 0600, with a table for each token:
//
//   [trainer-1]
//   token = "..."                 # at least 16 characters
//   requests_per_minute = 600     # left out: no bound
//   waiting = 64                  # requests without a verdict at a time; left out: no bound
//
// Read again when it changes, so a removed token stops working at once. Thread-safe.
class TokenTable {
 public:
  explicit TokenTable(fs::path file);  // throws Error if the file is missing, readable by others, or malformed

  // The caller that the value of an "Authorization" header names; nothing: unknown. The time it takes does not depend
  // on how much of a token is correct.
  std::optional<Caller> find(const std::string& authorization);

 private:
  struct Entry {
    std::string token;
    Quota quota;
  };
  static std::map<std::string, Entry> read(const fs::path& file);
  void read_again();

  const fs::path file_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  fs::file_time_type read_at_;
};

// Adds a token of 256 random bits to the file, which is created if needed, and returns the token.
std::string add_token(const fs::path& file, const std::string& name);

}  // namespace kg::service
