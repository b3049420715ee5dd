// Every setting: its name, default, allowed values, line of --help, and member of Settings. No
// other place repeats a default.
#include <cstdlib>
#include <optional>

#include "core/base/text.h"
#include "server/ops/limits.h"
#include "server/settings.h"
#include "server/stopping.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::size_t kMiB = 1024 * 1024;
constexpr std::size_t kMostMib = 65536;
constexpr std::size_t kMostThreads = 256;
// a day; an agent without a heartbeat for this long has ended
constexpr std::size_t kMostLeaseMs = 86'400'000;
constexpr std::size_t kMostDays = 36'500;             // a century
constexpr std::size_t kMostHstsSeconds = 63'072'000;  // two years, for browsers' preload lists
constexpr std::size_t kMostQuota = 1'000'000'000'000;
constexpr std::size_t kMostConnections = 1'000'000;
constexpr std::size_t kMostRequestRate = 1'000'000;
constexpr const char* kAllAddresses = "0.0.0.0";  // [::] fails on machines without IPv6
constexpr std::size_t kWriters = static_cast<std::size_t>(http::Pool::kWrite);

template <auto member>
void Into(Settings& settings, const Given& given) {
  settings.*member = given.text;
}

template <auto member>
void IntoMib(Settings& settings, const Given& given) {
  settings.listener.limits.*member = given.number * kMiB;
}

using Take = void (*)(Settings&, const Given&);

constexpr Setting Text(std::string_view name, std::string_view text, std::string_view help,
                       Take take) {
  return {.name = name, .help = help, .take = take, .text = text};
}

constexpr Setting Choice(std::string_view name, std::string_view text,
                         std::array<std::string_view, 4> choices, std::string_view help,
                         Take take) {
  return {.name = name, .help = help, .take = take, .text = text, .choices = choices};
}

constexpr Setting Number(std::string_view name, std::size_t number, std::size_t least,
                         std::size_t most, std::string_view help, Take take) {
  return {.name = name, .help = help, .take = take, .number = number, .least = least, .most = most};
}

template <auto member, std::int64_t unit = 1>
void IntoQuota(Settings& settings, const Given& given) {
  settings.quotas.*member = static_cast<std::int64_t>(given.number) * unit;
}

template <http::Pool pool>
constexpr Setting Rate(std::size_t number, std::string_view help) {
  constexpr auto kIndex = static_cast<std::size_t>(pool);
  return Number(
      kLimitNames[kIndex], number, 0, kMostRequestRate, help,
      [](Settings& s, const Given& g) { s.limits[kIndex] = static_cast<double>(g.number); });
}

fs::path DefaultData() {
  if (geteuid() == 0) return "/var/lib/tunehub";
  if (const char* data = std::getenv("XDG_DATA_HOME");  // NOLINT(concurrency-mt-unsafe)
      data != nullptr && *data != '\0') {
    return fs::path(data) / "tunehub";
  }
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  return fs::path(home != nullptr ? home : ".") / ".local/share/tunehub";
}

void TakeListen(Settings& settings, const Given& given) {
  const std::string& text = given.text;
  const std::size_t colon = text.rfind(':');
  std::optional<unsigned short> port;
  if (colon != std::string::npos) port = core::NumberFrom<unsigned short>(text.substr(colon + 1));
  if (!port)
    Refuse(given,
           "expected HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080; :8080 "
           "means all IPv4 addresses, [::]:8080 all addresses");
  std::string host = colon == 0 ? kAllAddresses : text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  settings.listener.host = std::move(host);
  settings.listener.port = *port;
}

void TakeProxies(Settings& settings, const Given& given) {
  auto proxies = http::TrustedProxies::Parse(given.text);
  if (!proxies.ok()) Refuse(given, "wrong address " + proxies.error().detail);
  settings.listener.proxies = *std::move(proxies);
}

// Call it after TakeUserHeader.
void TakeUserOwners(Settings& settings, const Given& given) {
  settings.user_owners = given.text;
  if (settings.user_header.empty()) return;
  auto sign_in = SignIn::Load(settings.user_header, settings.user_owners);
  if (!sign_in.ok()) Refuse(given, sign_in.error().detail);
  settings.sign_in = *std::move(sign_in);
}

void TakeUserHeader(Settings& settings, const Given& given) {
  settings.user_header = given.text;
  if (given.text.empty()) return;
  if (const auto sign_in = SignIn::Load(given.text, {}); !sign_in.ok())
    Refuse(given, sign_in.error().detail);
}

// Call it after TakeListen.
void TakeHosts(Settings& settings, const Given& given) {
  auto hosts = http::HostNames::Parse(given.text);
  if (!hosts.ok()) Refuse(given, "wrong name " + hosts.error().detail);
  settings.listener.hosts = *std::move(hosts);
  settings.listener.hosts.Add(core::Lower(settings.listener.host));
}

void TakeWebhook(Settings& settings, const Given& given) {
  if (given.text.empty()) return;
  auto address = http::ParseWebAddress(given.text);
  if (!address.ok()) Refuse(given, address.error().detail);
  settings.webhook = *std::move(address);
}

// The order is that of --help.
constexpr Setting kSettings[] = {
    Text("data", "",
         "folder of the embedded PostgreSQL; default for root: /var/lib/tunehub, for others: "
         "~/.local/share/tunehub",
         [](Settings& s, const Given& g) {
           s.data = g.text.empty() ? DefaultData() : fs::path(g.text);
         }),
    Text("database", "", "libpq URL of another PostgreSQL", Into<&Settings::database>),
    Text("signing_key", "",
         "file with the secret that signs answers; default: signing_key in the data folder",
         Into<&Settings::signing_key>),
    Text("configs", "", "folder with families/ and targets.json", Into<&Settings::configs>),
    Text("listen", "127.0.0.1:8080", "HOST:PORT; :PORT for all IPv4 addresses", TakeListen),
    Text("host", "", "names by which clients call the server, besides this machine's own; *: any",
         TakeHosts),
    Text("tls_certificate", "", "PEM file of a certificate and its chain: HTTPS only",
         Into<&Settings::tls_certificate>),
    Text("tls_key", "", "PEM file of the certificate's key; SIGHUP reloads both files",
         Into<&Settings::tls_key>),
    Number("hsts_seconds", 31'536'000, 0, kMostHstsSeconds,
           "with TLS: for how long browsers must use only HTTPS for this host",
           [](Settings& s, const Given& g) { s.listener.hsts = std::chrono::seconds(g.number); }),
    Choice("reads", "open", {"open", "key"}, "open, or key: reads need a key of scope read",
           [](Settings& s, const Given& g) { s.reads_need_key = g.text == "key"; }),
    Text("wal_archive", "", "folder in which the embedded PostgreSQL archives its WAL",
         Into<&Settings::wal_archive>),
    Text("backups", "",
         "folder of the backups, for /metrics; default: /var/lib/tunehub-backups if it exists",
         Into<&Settings::backups>),
    Choice("plan_on_claim", "yes", {"yes", "no"},
           "yes: if an agent finds no job, the hub makes a job from demand; or no",
           [](Settings& s, const Given& g) { s.plan_on_claim = g.text == "yes"; }),
    Number(
        "reactors", 0, 0, kMostThreads, "threads of the transport; 0: one for each processor",
        [](Settings& s, const Given& g) { s.listener.reactors = static_cast<unsigned>(g.number); }),
    Number("workers", 5, 1, kMostThreads, "threads for writes",
           [](Settings& s, const Given& g) {
             s.listener.workers[kWriters] = static_cast<unsigned>(g.number);
           }),
    Number("database_connections", 18, 2, 40,
           "connections to PostgreSQL: one per thread that works, plus three",
           [](Settings& s, const Given& g) { s.database_connections = g.number; }),
    Number("connections", 8192, 16, kMostConnections,
           "maximum of open connections; the system's limit of open files may lower this number",
           [](Settings& s, const Given& g) { s.listener.limits.connections = g.number; }),
    // 100,000 rows of the widest family are 45 MiB.
    Number("body_mib", 64, 1, 1024, "the largest body of a request",
           IntoMib<&http::Limits::body_bytes>),
    Number("bodies_mib", 256, 1, kMostMib, "memory for uploads in flight",
           IntoMib<&http::Limits::bodies_in_flight_bytes>),
    Number("answers_mib", 128, 1, kMostMib, "memory for answers in flight",
           IntoMib<&http::Limits::answers_in_flight_bytes>),
    Number("cache_mib", 64, 1, kMostMib, "memory for ready-made tables",
           [](Settings& s, const Given& g) { s.cache_bytes = g.number * kMiB; }),
    Text("trusted_proxies", "",
         "proxies, such as 10.0.0.0/8, whose X-Forwarded-For names the client", TakeProxies),
    Text("user_header", "",
         "header, such as X-Remote-User, that names a signed-in user, who may read; only from "
         "trusted_proxies",
         TakeUserHeader),
    Text("user_owners", "",
         "file of the users that user_header may name: each line is `USER OWNER`; `*` stands for "
         "all "
         "others. Default: every user",
         TakeUserOwners),
    Rate<http::Pool::kQuick>(2000, "fast reads a second per key or address; 0: no limit"),
    Rate<http::Pool::kHeavy>(200, "reads that compute, a second per key or address; 0: no limit"),
    Rate<http::Pool::kQueue>(5000, "agents' heartbeats a second per key or address; 0: no limit"),
    Rate<http::Pool::kWrite>(5000, "writes a second per key or address; 0: no limit"),
    Number("quota_rows", 1'000'000, 0, kMostQuota,
           "rows that a key without scope admin may write in a day; 0: no limit",
           IntoQuota<&Usage::rows>),
    Number("quota_demand", 1'000'000, 0, kMostQuota,
           "missed shapes that a key without scope admin may write in a day; 0: no limit",
           IntoQuota<&Usage::demand>),
    Number("quota_mib", 4096, 0, kMostQuota,
           "MiB of unpacked bodies that a key without scope admin may write in a day; 0: no limit",
           IntoQuota<&Usage::bytes, kMiB>),
    Number("quota_keys", 500'000, 0, kMostQuota,
           "shape keys whose row a key without scope admin may change in a day; 0: no limit",
           IntoQuota<&Usage::keys>),
    Number("lame_duck_ms", 0, 0, kLongestLameDuck.count(),
           "after SIGTERM: how long the server serves while not ready",
           [](Settings& s, const Given& g) { s.lame_duck = milliseconds(g.number); }),
    Number("drain_ms", kLongestDrain.count(), 100, kLongestDrain.count(),
           "after SIGTERM: how long the server answers requests in flight",
           [](Settings& s, const Given& g) { s.drain = milliseconds(g.number); }),
    Number("job_lease_ms", 120'000, 100, kMostLeaseMs,
           "lease: how long an agent keeps a job without a heartbeat",
           [](Settings& s, const Given& g) { s.queue.lease = milliseconds(g.number); }),
    Number("job_rest_ms", 60'000, 0, kMostLeaseMs,
           "how long an agent that failed a job cannot claim this job again",
           [](Settings& s, const Given& g) { s.queue.rest = milliseconds(g.number); }),
    Number(
        "verify_hours", 1, 0, 24,
        "hours a day in which a target's idle agents, on all its devices, verify old rows; 0: none",
        [](Settings& s, const Given& g) { s.queue.verify_hours = static_cast<int>(g.number); }),
    Number("confirm_factor", 2, 0, 1000,
           "a row needs a confirmation if it is this many times faster than other owners' rows; 0: "
           "never; set the same value on all servers",
           [](Settings& s, const Given& g) { s.confirm_factor = static_cast<int>(g.number); }),
    Number("retention_days", 365, 0, kMostDays,
           "days for which the hub keeps audit, receipts' texts, finished jobs, drift; 0: no limit",
           [](Settings& s, const Given& g) { s.retention_days = g.number; }),
    Text("webhook", "", "http or https address to which the server posts events", TakeWebhook),
    Choice("log_level", "info", {"debug", "info", "warn", "error"}, "debug, info, warn or error",
           Into<&Settings::log_level>),
    Choice("log_format", "text", {"text", "json"},
           "text, or json (each line of the log is an object)",
           [](Settings& s, const Given& g) {
             s.log_format = g.text == "json" ? log::Format::kJson : log::Format::kText;
           }),
    Text("user", "", "the user as which the server runs if root starts it", Into<&Settings::user>),
};

}  // namespace

std::span<const Setting> AllSettings() {
  return kSettings;
}

}  // namespace tunehub::server
