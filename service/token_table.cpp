#include "service/token_table.h"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/log.h"

namespace kg::service {
namespace {

constexpr std::size_t kShortestToken = 16;

bool is_plain_word(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

// Looks at every character whatever it finds.
bool equal(const std::string& a, const std::string& b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
  return different == 0;
}

void require_private(const fs::path& file) {
  struct stat about{};
  if (::stat(file.c_str(), &about) != 0)
    throw Error(std::string("cannot read the tokens: ") + std::strerror(errno), file.string(),
                "make one: kgtrain serve --tokens " + file.string() + " --new-token NAME");
  if ((about.st_mode & 077) != 0)
    throw Error("the tokens file can be read by others", file.string(), "chmod 600 " + file.string());
}

template <typename Number>
Number number_of(const toml::table& table, const char* key, const std::string& where) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return 0;
  const auto value = node->value<double>();
  if (!value || *value < 0 || *value > 1e9)
    throw Error(std::string("\"") + key + "\" is not a number of at least 0", where,
                "leave it out, or write 0, for no limit");
  return static_cast<Number>(*value);
}

}  // namespace

std::map<std::string, TokenTable::Entry> TokenTable::read(const fs::path& file) {
  require_private(file);
  std::map<std::string, Entry> entries;
  toml::table all;
  try {
    all = toml::parse(read_file(file));
  } catch (const toml::parse_error& error) {
    throw Error(std::string(error.description()), file.string() + ":" + std::to_string(error.source().begin.line),
                "correct that line");
  }
  for (const auto& [key, node] : all) {
    const std::string name(key.str()), where = file.string() + " [" + name + "]";
    const toml::table* table = node.as_table();
    const auto token = table != nullptr ? (*table)["token"].value<std::string>() : std::nullopt;
    if (!token || token->size() < kShortestToken)
      throw Error(fmt::format("no token of at least {} characters", kShortestToken), where,
                  "kgtrain serve --tokens FILE --new-token NAME makes one");
    for (const auto& [word, unused] : *table)
      if (word != "token" && word != "requests_per_minute" && word != "waiting")
        throw Error("unknown key \"" + std::string(word.str()) + "\"", where,
                    "use token, requests_per_minute, waiting");
    entries[name] = {*token,
                     {.requests_per_minute = number_of<double>(*table, "requests_per_minute", where),
                      .waiting = number_of<std::uint32_t>(*table, "waiting", where)}};
  }
  if (entries.empty())
    throw Error("the tokens file has no tokens", file.string(),
                "kgtrain serve --tokens " + file.string() + " --new-token NAME");
  return entries;
}

TokenTable::TokenTable(fs::path file)
    : file_(std::move(file)), entries_(read(file_)), read_at_(fs::last_write_time(file_)) {}

void TokenTable::read_again() {
  std::error_code error;
  const auto changed = fs::last_write_time(file_, error);
  if (error || changed == read_at_) return;
  try {
    entries_ = read(file_);
    spdlog::info("{} tokens read from {}", entries_.size(), file_.string());
  } catch (const Error& wrong) {
    spdlog::error("the tokens stay unchanged: {}", wrong.full_message());
  }
  read_at_ = changed;
}

std::optional<Caller> TokenTable::find(const std::string& authorization) {
  constexpr const char* kBearer = "Bearer ";
  if (!authorization.starts_with(kBearer)) return {};
  const std::string given = authorization.substr(std::strlen(kBearer));
  const std::lock_guard lock(mutex_);
  read_again();
  std::optional<Caller> found;
  for (const auto& [name, entry] : entries_)
    if (equal(given, entry.token)) found = {name, entry.quota};
  return found;
}

std::string add_token(const fs::path& file, const std::string& name) {
  if (!is_plain_word(name))
    throw Error("\"" + name + "\" cannot be the name of a token", "--new-token",
                "choose a word of letters, digits, '_' and '-'");
  std::string text;
  if (fs::exists(file)) {
    require_private(file);
    text = read_file(file);
    if (toml::parse(text).contains(name))
      throw Error("there is a token " + name + " already", file.string(), "choose another name, or remove the old one");
  }
  unsigned char random[32];
  if (::getrandom(random, sizeof(random), 0) != static_cast<ssize_t>(sizeof(random)))
    throw Error("the system gives no random numbers", "getrandom", "", Error::Kind::kEnvironment);
  std::string token;
  for (const unsigned char byte : random) token += fmt::format("{:02x}", byte);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += fmt::format("[{}]\ntoken = \"{}\"\n", name, token);
  const mode_t before = ::umask(077);
  write_file_durably(file, text);
  ::umask(before);
  ::chmod(file.c_str(), 0600);
  return token;
}

}  // namespace kg::service
