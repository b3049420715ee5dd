#include <fmt/core.h>
#include <netdb.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/file.h"
#include "core/family/families.h"
#include "core/family/targets.h"
#include "server/command.h"
#include "server/db/database_state.h"
#include "server/db/schema.h"
#include "server/embedded/launch.h"
#include "server/keys/signing_key_store.h"
#include "server/leave_root.h"
#include "server/tls/credentials.h"
#include "server/tls/identity.h"

namespace tunehub::server {
namespace {

// Collects the findings as sentences, each with advice.
class Report {
 public:
  // Sets the check to which the next findings belong.
  void Begin(std::string check) { check_ = std::move(check); }
  void Wrong(std::string_view what, std::string_view advice) {
    text_ += fmt::format("{}: {}; {}\n", check_, what, advice);
    found_.push_back({{"check", check_}, {"what", what}, {"advice", advice}});
  }
  void CouldNotLook(std::string_view why) {
    unseen_text_ += fmt::format("{}: not checked, because {}\n", check_, why);
    unseen_.push_back({{"check", check_}, {"why", why}});
  }

  // 0: no findings. 1: findings. 2: no findings, but some checks could not run.
  int exit_status() const {
    if (!found_.empty()) return kFinding;
    return unseen_.empty() ? kGood : kFailed;
  }
  std::string Text() const {
    return fmt::format(
        "{}{}{} (tunehub-server verify also checks the stored data, which takes longer)\n", text_,
        unseen_text_, EndLine());
  }
  std::string Json() const {
    const nlohmann::ordered_json all = {
        {"status", exit_status()}, {"found", found_}, {"unseen", unseen_}};
    // The system and the database may use any encoding in their messages.
    return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

 private:
  std::string EndLine() const {
    if (found_.empty() && unseen_.empty()) return "no problem found";
    if (found_.empty()) return "no problem found, but some checks could not run";
    return found_.size() == 1 ? "1 problem found" : fmt::format("{} problems found", found_.size());
  }

  std::string check_, text_, unseen_text_;
  nlohmann::ordered_json found_ = nlohmann::ordered_json::array(),
                         unseen_ = nlohmann::ordered_json::array();
};

namespace fs = std::filesystem;

constexpr timeval kProbePatience{5, 0};  // limit of one step; a healthy server takes milliseconds
constexpr std::size_t kMostBytes = 64 * 1024;  // the longest answer that doctor reads

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
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kProbePatience, sizeof kProbePatience);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &kProbePatience, sizeof kProbePatience);
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

// The server writes these files. It cannot start if another user owns one.
void CheckOwners(const fs::path& data, const embedded::DatabaseUser& user, Report& report) {
  for (const char* name : {"", "pg", "server.lock", "pg.lock", "pg.log"}) {
    const fs::path path = *name == '\0' ? data : data / name;
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || info.st_uid == user.uid) continue;
    const auto owner = embedded::UserOf(info.st_uid);
    report.Wrong(fmt::format("{} belongs to `{}`, but the server runs as `{}`", path.string(),
                             owner ? owner->name : std::to_string(info.st_uid), user.name),
                 fmt::format("run chown -R {} {}", user.name, data.string()));
    return;  // the other files probably have the same owner
  }
}

// Each check of `doctor` on this host looks for a reason why a server does not start or does not
// answer. The alerts of deploy/observe watch a server that answers.
void CheckServer(const Settings& settings, Report& report) {
  const std::string& host = settings.listener.host;
  const unsigned short port = settings.listener.port;
  const bool tls = !settings.tls_certificate.empty();
  const core::Fd fd = ConnectTo(host, port);
  if (!fd.ok()) {
    return report.Wrong(
        fmt::format("no server answers at {}://{}:{}/", tls ? "https" : "http", host, port),
        "start the server with systemctl start tunehub-server, or with tunehub-server serve");
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
  report.Wrong(fmt::format("the port {} is in use, but no tunehub-server answers there", port),
               fmt::format("find that program with `ss -ltnp sport = :{}` and end it, or give the "
                           "server another port (--listen)",
                           port));
}

// `user`: the server's system user.
void CheckDataFolder(const Settings& settings, const embedded::DatabaseUser& user, Report& report) {
  if (!settings.database.empty()) return;
  const fs::path& data = settings.data;
  struct stat info {};
  if (::stat(data.c_str(), &info) != 0) {
    const int error = errno;
    if (error == EACCES)
      return report.CouldNotLook(data.string() + " cannot be read by the user of this command");
    return report.Wrong(
        fmt::format("the data folder {} cannot be used: {}", data.string(),
                    std::generic_category().message(error)),
        "start the server once, which creates the folder, or name another folder (--data)");
  }
  if (!S_ISDIR(info.st_mode))
    return report.Wrong(data.string() + " is not a folder", "name a folder (--data)");
  CheckOwners(data, user, report);
  if (const auto closed = embedded::FirstUnreachable(fs::absolute(data), user)) {
    report.Wrong(
        fmt::format("the server's user `{1}` cannot enter {0}", closed->string(), user.name),
        "run chmod o+x " + closed->string());
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
               "put a valid certificate there, readable by the server's user, or name other files "
               "(--tls-certificate, --tls-key)");
}

void CheckWeb(const Settings& settings, Report& report) {
  std::error_code error;
  if (fs::exists(settings.web / "index.html", error)) return;
  report.Wrong(fmt::format("the dashboard's files are missing at {}", settings.web.string()),
               "build them (deploy/build-web), or install the package again");
}

constexpr std::size_t kConnections = 2;

int Tell(const Report& report, bool json) {
  std::fputs((json ? report.Json() : report.Text()).c_str(), stdout);
  return report.exit_status();
}

// Without settings or a user, no other check can run.
int TellOfOne(const char* check, const core::Error& error, const char* advice, bool json) {
  Report report;
  report.Begin(check);
  report.Wrong(error.detail, advice);
  return Tell(report, json);
}

void Look(Report& report, const char* check, const std::function<void()>& look) {
  report.Begin(check);
  try {
    look();
  } catch (const std::exception& error) {
    report.CouldNotLook(error.what());
  }
}

// Returns null if no database is reachable. An embedded database runs only while its server runs.
std::unique_ptr<ConnectionPool> OpenDatabase(const Settings& settings, Report& report) {
  std::string url = settings.database;
  if (url.empty()) {
    const auto running = embedded::RunningOn(settings.data);
    if (!running) return nullptr;
    url = *running;
  }
  std::size_t down = 0, read_only = 0;
  const auto hosts = LookAtHosts(url);
  for (const HostHealth& host : hosts) {
    if (host.read_only) ++read_only;
    if (host.reason.empty()) continue;
    ++down;
    report.Wrong(fmt::format("the database at {} cannot be queried: {}", host.name, host.reason),
                 "start the database, or correct the setting `database` or the .pgpass of the "
                 "server's user");
  }
  if (down == hosts.size()) return nullptr;
  if (down + read_only == hosts.size()) {
    report.Wrong("the database accepts no writes, because it is a standby or set to read only",
                 "name the primary in the setting `database`, or promote a standby (pg_promote)");
  }
  // Takes a read-only host only if every reachable host is read-only.
  for (const HostHealth& host : hosts) {
    if (host.reason.empty() && (!host.read_only || read_only + down == hosts.size()))
      return std::make_unique<ConnectionPool>(host.url, PoolOptions{.size = kConnections});
  }
  return nullptr;
}

// `pool`: null if doctor reaches no database with this program's schema.
void CheckDefinitions(const Settings& settings, ConnectionPool* pool, Report& report) {
  const char* const advice =
      "name the folder with families/ and targets.json (--configs), or correct the file";
  const auto families = core::Families::Load(settings.configs / "families");
  if (!families.ok()) return report.Wrong(families.error().detail, advice);
  if (families->all().empty()) {
    return report.Wrong(
        fmt::format("{} contains no family file", (settings.configs / "families").string()),
        advice);
  }
  const auto targets = core::Targets::Load(settings.configs / "targets.json");
  if (!targets.ok()) return report.Wrong(targets.error().detail, advice);
  if (pool == nullptr) return;
  for (const auto& it : DefinitionStore(*pool).Differences(*families, *targets)) {
    if (it.older || it.missing) continue;  // a server starts despite this
    report.Wrong(it.name + ": the file in the database differs from the file here",
                 "run `tunehub-server migrate`");
  }
}

void CheckDatabase(const Settings& settings, Report& report) {
  std::unique_ptr<ConnectionPool> pool;
  Look(report, "database", [&] { pool = OpenDatabase(settings, report); });
  if (pool == nullptr) {
    report.Begin("sessions, schema, signing key");
    report.CouldNotLook("the database cannot be queried");
  } else {
    Look(report, "sessions", [&] {
      if (const auto sessions = CheckSessions(*pool); !sessions.ok())
        report.Wrong(sessions.error().detail,
                     "the server does not start with this database connection");
    });
    Look(report, "schema", [&] {
      if (const auto schema = Schema(*pool).Check(); !schema.ok()) {
        report.Wrong(schema.error().detail, "until you fix this, the server does not start");
        pool.reset();
        return;
      }
      report.Begin("signing key");
      if (const auto key = CheckSigningKey(*pool, settings.signing_key); !key.ok())
        report.Wrong(key.error().detail, "until you fix this, the server does not start");
    });
  }
  Look(report, "definitions", [&] { CheckDefinitions(settings, pool.get(), report); });
}

}  // namespace

int Doctor(const core::Result<Settings>& settings, bool json) {
  std::signal(SIGPIPE, SIG_IGN);
  spdlog::set_level(spdlog::level::off);  // the report says each finding once
  if (!settings.ok())
    return TellOfOne("settings", settings.error(), "fix this first; nothing else was checked",
                     json);
  const auto user = ServerUser(*settings);
  if (!user.ok())
    return TellOfOne("user", user.error(), "fix this first; nothing else was checked", json);
  Report report;
  Look(report, "server", [&] { CheckServer(*settings, report); });
  Look(report, "data folder", [&] { CheckDataFolder(*settings, *user, report); });
  // From now on, this command reads files and passwords as the server's user.
  if (user->switched) ::setenv("HOME", user->home.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  if (!embedded::BecomeUser(*user))
    return TellOfOne("user", {"", fmt::format("this command cannot become `{}`", user->name)},
                     "run this command as that user", json);
  Look(report, "certificate", [&] { CheckCertificate(*settings, report); });
  Look(report, "web", [&] { CheckWeb(*settings, report); });
  CheckDatabase(*settings, report);
  return Tell(report, json);
}

}  // namespace tunehub::server
