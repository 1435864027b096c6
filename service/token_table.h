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

// Who may ask. A TOML file of mode 0600, a table for each token:
//
//   [trainer-1]
//   token = "..."                 # at least 16 characters
//   requests_per_minute = 600     # left out: no bound
//   waiting = 64                  # requests without a verdict at a time; left out: no bound
//
// Read again when it changes, so that a token that is taken out ends at once. Thread-safe.
class TokenTable {
 public:
  explicit TokenTable(fs::path file);  // throws Error for a file that is missing, open to others, or wrong

  // The caller that an "Authorization" header's value names; nothing: nobody. The time that it takes does not depend on
  // how much of a token is right.
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

// Adds a token of 256 random bits to the file, which is made if it is not there, and gives the token.
std::string add_token(const fs::path& file, const std::string& name);

}  // namespace kg::service
