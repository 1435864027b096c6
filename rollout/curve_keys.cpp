#include "rollout/curve_keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/error.h"

namespace kg::rollout {
namespace {

constexpr std::size_t kKeyCharacters = 40;
constexpr const char* kDomain = "kgtrain";

void write_new_file(const fs::path& path, const std::string& text, mode_t mode) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0)
    throw Error(
        std::string("cannot make the key file: ") + std::strerror(errno), path.string(),
        errno == EEXIST ? "choose another worker name, or remove the old key" : "check that the folder is writable");
  const bool good =
      ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(descriptor) == 0;
  ::close(descriptor);
  if (!good) throw Error("cannot write the key file", path.string(), "free disk space", Error::Kind::kEnvironment);
}

CurveKeyPair new_pair() {
  char public_key[kKeyCharacters + 1], secret_key[kKeyCharacters + 1];
  if (zmq_curve_keypair(public_key, secret_key) != 0)
    throw Error("this libzmq has no CURVE", "libzmq", "install a libzmq built with libsodium",
                Error::Kind::kEnvironment);
  return {public_key, secret_key};
}

std::string pair_text(const CurveKeyPair& pair) {
  return "kgtrain-curve-pair 1\npublic " + pair.public_key + "\nsecret " + pair.secret_key + "\n";
}

// The name becomes a file's and a word of a line of allowed_workers.
bool is_plain_word(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= 64 && std::isalnum(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(), fits);
}

std::string printable(std::string text) {
  for (char& c : text)
    if (std::isprint(static_cast<unsigned char>(c)) == 0) c = '?';
  return text.substr(0, 80);
}

std::string checked(std::string key, const fs::path& file) {
  if (key.size() != kKeyCharacters)
    throw Error("a CURVE key of " + std::to_string(key.size()) + " characters, wanted 40 of Z85", file.string(),
                "make keys with `kgtrain-worker keys --out FOLDER`");
  return key;
}

}  // namespace

void make_keys(const fs::path& folder, const std::string& worker) {
  if (!is_plain_word(worker) || worker == "server")
    throw Error("\"" + printable(worker) + "\" cannot name a worker's key", "--worker",
                "choose a word of up to 64 letters, digits, '.', '_' and '-' that begins with a letter or digit, not "
                "\"server\"");
  fs::create_directories(folder);
  if (!fs::exists(folder / "server.key")) {
    const CurveKeyPair server = new_pair();
    write_new_file(folder / "server.key", pair_text(server), 0600);
    write_file_durably(folder / "server.pub", server.public_key + "\n");
  }
  const CurveKeyPair pair = new_pair();
  write_new_file(folder / (worker + ".key"), pair_text(pair), 0600);
  const fs::path allowed = folder / "allowed_workers";
  const std::string before = fs::exists(allowed) ? read_file(allowed) : "";
  write_file_durably(allowed, before + pair.public_key + " " + worker + "\n");
}

CurveKeyPair read_key_pair(const fs::path& file) {
  const std::string text = read_file(file);
  struct stat info{};
  if (::stat(file.c_str(), &info) == 0 && (info.st_mode & 077) != 0)
    throw Error("others may read this secret key", file.string(), "chmod 600 it; better, make a new one");
  std::istringstream in(text);
  std::string magic, version, public_word, secret_word;
  CurveKeyPair pair;
  in >> magic >> version >> public_word >> pair.public_key >> secret_word >> pair.secret_key;
  if (magic != "kgtrain-curve-pair" || version != "1")
    throw Error("not a key file of version 1: it starts with \"" + magic + " " + version + "\"", file.string(),
                "make keys with `kgtrain-worker keys --out FOLDER`");
  checked(pair.public_key, file);
  checked(pair.secret_key, file);
  return pair;
}

std::string read_public_key(const fs::path& file) {
  std::istringstream in(read_file(file));
  std::string key;
  in >> key;
  return checked(key, file);
}

std::string worker_public_key(const fs::path& folder, const std::string& worker) {
  return read_key_pair(folder / (worker + ".key")).public_key;
}

std::set<std::string> read_allowed_workers(const fs::path& folder) {
  std::set<std::string> keys;
  std::istringstream in(read_file(folder / "allowed_workers"));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with("//")) continue;
    keys.insert(checked(line.substr(0, line.find(' ')), folder / "allowed_workers"));
  }
  return keys;
}

void secure_server(zmq::socket_t& socket, const fs::path& folder) {
  if (!fs::exists(folder / "server.key"))
    throw Error("other hosts may connect only with CURVE keys, and there are none", folder.string(),
                "kgtrain-worker keys --out " + folder.string());
  const CurveKeyPair pair = read_key_pair(folder / "server.key");
  socket.set(zmq::sockopt::zap_domain, kDomain);
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, pair.secret_key);
}

void secure_client(zmq::socket_t& socket, const fs::path& folder, const std::string& worker) {
  const CurveKeyPair pair = read_key_pair(folder / (worker + ".key"));
  socket.set(zmq::sockopt::curve_serverkey, read_public_key(folder / "server.pub"));
  socket.set(zmq::sockopt::curve_publickey, pair.public_key);
  socket.set(zmq::sockopt::curve_secretkey, pair.secret_key);
}

}  // namespace kg::rollout
