#include "server/doctor_checks.h"

#include <fmt/core.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "core/system/fd.h"
#include "server/embedded/binaries.h"
#include "server/embedded/cluster.h"
#include "server/tls/credentials.h"
#include "server/tls/exchange.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;

constexpr timeval kPatience{5, 0};  // for each step: a server that is well answers in milliseconds
constexpr std::size_t kMostBytes = 64 * 1024;  // of an answer

core::Fd ConnectTo(std::string host, unsigned short port) {
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  for (const addrinfo* it = found; it != nullptr; it = it->ai_next) {
    core::Fd fd(::socket(it->ai_family, it->ai_socktype | SOCK_CLOEXEC, it->ai_protocol));
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    if (::connect(fd.get(), it->ai_addr, it->ai_addrlen) == 0) return fd;
  }
  return {};
}

std::string ExchangePlain(const core::Fd& fd, const std::string& request) {
  ::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer(kMostBytes, '\0');
  const ssize_t size = ::recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL);
  answer.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return answer;
}

// Files that the server writes: its start fails on one of another user's.
void CheckOwners(const fs::path& data, const embedded::DatabaseUser& user, Report& report) {
  for (const char* name : {"", "pg", "server.lock", "pg.lock", "pg.log"}) {
    const fs::path path = *name == '\0' ? data : data / name;
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || info.st_uid == user.uid) continue;
    const auto owner = embedded::UserOf(info.st_uid);
    report.Wrong(fmt::format("{} belongs to `{}`, and the server runs as `{}`", path.string(),
                             owner ? owner->name : std::to_string(info.st_uid), user.name),
                 fmt::format("chown -R {} {}", user.name, data.string()));
    return;  // the rest is most likely the same
  }
}

}  // namespace

void CheckServer(const Settings& settings, Report& report) {
  const std::string& host = settings.listener.host;
  const unsigned short port = settings.listener.port;
  const bool tls = !settings.tls_certificate.empty();
  const core::Fd fd = ConnectTo(host, port);
  if (!fd.ok()) {
    return report.Wrong(
        fmt::format("no server answers at {}://{}:{}/", tls ? "https" : "http", host, port),
        "start it: systemctl start tunehub-server, or tunehub-server serve");
  }
  const std::string request =
      fmt::format("GET /healthz HTTP/1.0\r\nHost: {}:{}\r\nConnection: close\r\n\r\n", host, port);
  std::string answer;
  if (tls) {
    if (auto text = tls::Exchange(fd.get(), request, kMostBytes); text.ok()) answer = *text;
  } else {
    answer = ExchangePlain(fd, request);
  }
  if (answer.ends_with(R"({"status":"alive"})")) return;
  report.Wrong(fmt::format("the port {} is taken, and no tunehub-server answers there", port),
               fmt::format("`ss -ltnp sport = :{}` names who has it: end that, or give the server "
                           "another port (--listen)",
                           port));
}

void CheckDataFolder(const Settings& settings, const embedded::DatabaseUser& user, Report& report) {
  if (!settings.database.empty()) return;
  const fs::path& data = settings.data;
  struct stat info {};
  if (::stat(data.c_str(), &info) != 0) {
    const int error = errno;
    if (error == EACCES)
      return report.CouldNotLook(data.string() + " is closed to the user of this command");
    return report.Wrong(fmt::format("the data folder {} cannot be used: {}", data.string(),
                                    std::generic_category().message(error)),
                        "start the server once, which makes it, or name another (--data)");
  }
  if (!S_ISDIR(info.st_mode))
    return report.Wrong(data.string() + " is no folder", "name another (--data)");
  CheckOwners(data, user, report);
  if (const auto closed = embedded::FirstUnreachable(fs::absolute(data), user)) {
    report.Wrong(fmt::format("{} cannot be entered by the user `{}`, whom the server runs as",
                             closed->string(), user.name),
                 "open it: chmod o+x " + closed->string());
  }
  const auto binaries =
      embedded::FindBinaries(embedded::ClusterOptions().postgres_root, data / "pg");
  if (!binaries.ok()) {
    report.Wrong(binaries.error().detail,
                 "install that PostgreSQL, or name a database of yours (--database)");
  }
}

void CheckCertificate(const Settings& settings, Report& report) {
  if (settings.tls_certificate.empty()) return;
  const auto credentials = tls::ReadCredentials({settings.tls_certificate, settings.tls_key});
  if (credentials.ok()) return;
  report.Wrong(credentials.error().detail,
               "put a good one there, readable by the user of the server, or name others "
               "(--tls-certificate, --tls-key)");
}

void CheckWeb(const Settings& settings, Report& report) {
  std::error_code error;
  if (fs::exists(settings.web / "index.html", error)) return;
  report.Wrong(fmt::format("the dashboard's files are not at {}", settings.web.string()),
               "build them (deploy/build-web), or install the package again");
}

}  // namespace tunehub::server
