#include "server/doctor/process.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace tunehub::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListens = "0A";  // TCP_LISTEN, as /proc/net/tcp writes it
constexpr std::size_t kHexOfWord = 8;

fs::path ProcOf(pid_t pid) {
  return pid == 0 ? fs::path("/proc/self") : fs::path("/proc") / std::to_string(pid);
}

// An address as /proc/net/tcp writes it: each four bytes as a number of this machine's.
std::string HexOf(const unsigned char* bytes, std::size_t size) {
  std::string hex;
  for (std::size_t i = 0; i < size; i += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes + i, sizeof word);
    hex += fmt::format("{:08X}", word);
  }
  return hex;
}

struct Table {
  const char* file;
  int family;
  std::size_t bytes;
};
constexpr Table kTables[] = {{"/proc/net/tcp", AF_INET, 4}, {"/proc/net/tcp6", AF_INET6, 16}};

// Addresses at which a server of `host` cannot listen beside somebody else's: its own, and "all".
bool Meets(const Table& table, const std::string& host, std::string_view hex) {
  if (hex.find_first_not_of('0') == std::string_view::npos) return true;
  unsigned char own[16] = {};
  if (::inet_pton(table.family, host.c_str(), own) != 1) return false;
  const std::string wanted = HexOf(own, table.bytes);
  return hex == wanted || wanted.find_first_not_of('0') == std::string::npos;
}

struct Socket {
  std::string inode;
  uid_t uid;
};

std::optional<Socket> ListeningSocket(const std::string& host, unsigned short port) {
  for (const Table& table : kTables) {
    std::ifstream in(table.file);
    std::string line;
    std::getline(in, line);  // the names of the columns
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string number, local, remote, state, queues, timer, retransmits, timeout, inode;
      uid_t uid = 0;
      words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> uid >>
          timeout >> inode;
      const std::size_t colon = local.find(':');
      if (state != kListens || colon == std::string::npos || colon % kHexOfWord != 0) continue;
      if (local.substr(colon + 1) != fmt::format("{:04X}", port)) continue;
      if (Meets(table, host, std::string_view(local).substr(0, colon))) return Socket{inode, uid};
    }
  }
  return std::nullopt;
}

bool Has(const fs::path& process, const std::string& socket) {
  std::error_code error;
  for (fs::directory_iterator it(process / "fd", error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(it->path(), gone) == socket) return true;
  }
  return false;
}

pid_t OwnerOf(const std::string& inode) {
  const std::string socket = "socket:[" + inode + "]";
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    pid_t pid = 0;
    const auto [at, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong == std::errc() && at == name.data() + name.size() && Has(it->path(), socket))
      return pid;
  }
  return 0;
}

// The number behind `name` in a file of lines, in bytes where the line says kB.
std::optional<std::size_t> NumberIn(const fs::path& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line.substr(name.size()));
    std::size_t number = 0;
    if (!(words >> number)) return std::nullopt;  // "unlimited", "max"
    return line.ends_with(" kB") ? number * 1024 : number;
  }
  return std::nullopt;
}

// Of the control group and of those above it.
std::optional<std::size_t> MemoryOfGroup(pid_t pid) {
  constexpr std::string_view kUnified = "0::";
  std::ifstream in(ProcOf(pid) / "cgroup");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(kUnified)) continue;
    std::optional<std::size_t> least;
    for (fs::path group = line.substr(kUnified.size()); !group.empty();
         group = group.parent_path()) {
      const fs::path file = fs::path("/sys/fs/cgroup") / group.relative_path() / "memory.max";
      if (const auto most = NumberIn(file, "")) least = std::min(least.value_or(*most), *most);
      if (group == group.parent_path()) break;
    }
    return least;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Listening> ListenerAt(const std::string& host, unsigned short port) {
  const auto socket = ListeningSocket(host, port);
  if (!socket) return std::nullopt;
  return Listening{OwnerOf(socket->inode), socket->uid};
}

std::string ProcessName(pid_t pid) {
  std::string name;
  std::ifstream in(ProcOf(pid) / "comm");
  std::getline(in, name);
  return name;
}

std::optional<std::size_t> DescriptorLimit(pid_t pid) {
  if (pid == 0) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
    return limit.rlim_max;
  }
  return NumberIn(ProcOf(pid) / "limits", "Max open files");
}

std::optional<std::size_t> MemoryFor(pid_t pid) {
  const auto machine = NumberIn("/proc/meminfo", "MemTotal:");
  const auto group = MemoryOfGroup(pid);
  return machine && group ? std::min(*machine, *group) : machine;
}

}  // namespace tunehub::doctor
