#include "server/settings.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/read_json.h"
#include "server/api/limits.h"
#include "server/installation.h"
#include "server/stopping.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMiB = 1024 * 1024;
constexpr std::size_t kMaxDeadlineMs = 600'000;      // a slower client is none
constexpr std::size_t kMaxLeaseMs = 86'400'000;      // a day: what is silent for longer is gone
constexpr std::size_t kMaxHstsSeconds = 63'072'000;  // two years, what browsers' lists ask for
constexpr std::size_t kMaxConnections = 1'000'000;
constexpr std::size_t kMaxRequestRate = 1'000'000;
constexpr std::size_t kMaxHours = 10 * 366 * 24;
// Where the package's timer puts backups.
constexpr const char* kPackagedBackups = "/var/lib/tunehub-backups";
constexpr std::string_view kNames[] = {"listen",
                                       "tls_certificate",
                                       "tls_key",
                                       "hsts_seconds",
                                       "data",
                                       "database",
                                       "wal_archive",
                                       "backups",
                                       "reads",
                                       "reactors",
                                       "workers",
                                       "read_workers",
                                       "queue_workers",
                                       "heavy_workers",
                                       "connections",
                                       "client_share_percent",
                                       "bodies_mib",
                                       "answers_mib",
                                       "answer_deadline_ms",
                                       "trusted_proxies",
                                       "proxy_header",
                                       "limit_reads",
                                       "limit_heavy_reads",
                                       "limit_queue",
                                       "limit_writes",
                                       "database_connections",
                                       "cache_mib",
                                       "past_mib",
                                       "body_mib",
                                       "header_deadline_ms",
                                       "body_deadline_ms",
                                       "plan_on_claim",
                                       "lame_duck_ms",
                                       "job_lease_ms",
                                       "job_rest_ms",
                                       "job_retention_hours",
                                       "log_level",
                                       "log_format",
                                       "access_log",
                                       "user",
                                       "configs"};

struct Value {
  std::string text;
  std::string from;  // "--listen", "TUNEHUB_LISTEN", "configs/server.json"
};

struct Wrong {
  core::Error error;
};

fs::path DefaultData() {
  if (geteuid() == 0) return "/var/lib/tunehub";
  if (const char* data = std::getenv("XDG_DATA_HOME");  // NOLINT(concurrency-mt-unsafe)
      data != nullptr && *data != '\0') {
    return fs::path(data) / "tunehub";
  }
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  return fs::path(home != nullptr ? home : ".") / ".local/share/tunehub";
}

nlohmann::json ReadSettingsFile(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw Wrong{{"bad_setting", file.string() + ": cannot be read"}};
  nlohmann::json json = core::ReadJson(std::string(std::istreambuf_iterator<char>(in), {}));
  if (!json.is_object()) throw Wrong{{"bad_setting", file.string() + ": is no JSON object"}};
  for (const auto& [name, value] : json.items()) {
    const bool known = std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
    if (!known)
      throw Wrong{{"bad_setting", fmt::format("{}: '{}' is no setting", file.string(), name)}};
  }
  return json;
}

// What a file of one's own leaves out is as the shipped file has it.
class Sources {
 public:
  Sources(const std::map<std::string, std::string>& flags, const fs::path& file,
          const Installation& installation)
      : flags_(flags), file_(file.empty() ? installation.settings : file) {
    const fs::path shipped = installation.share / "configs/server.json";
    json_ = ReadSettingsFile(shipped);
    if (file_.empty())
      file_ = shipped;
    else
      json_.update(ReadSettingsFile(file_));
  }

  Value Get(const std::string& name) const {
    if (const auto flag = flags_.find(name); flag != flags_.end())
      return {flag->second, FlagOf(name)};
    std::string variable = "TUNEHUB_";
    for (char c : name) variable.push_back(static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c));
    if (const char* value = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe)
        value != nullptr && *value != '\0') {
      return {value, variable};
    }
    if (!json_.contains(name)) return {"", file_.string()};
    const auto& value = json_[name];
    return {value.is_string() ? value.get<std::string>() : value.dump(), file_.string()};
  }

  std::size_t Number(const std::string& name, std::size_t min, std::size_t max) const {
    const Value value = Get(name);
    std::size_t number = 0;
    const auto parsed =
        std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != value.text.data() + value.text.size() ||
        number < min || number > max) {
      Fail(name, value, fmt::format("a number within {}..{}", min, max));
    }
    return number;
  }

  [[noreturn]] static void Fail(const std::string& name, const Value& value,
                                const std::string& allowed) {
    throw Wrong{{"bad_setting", fmt::format("{}: '{}' (from {}) is not allowed, only {}", name,
                                            value.text, value.from, allowed)}};
  }

 private:
  const std::map<std::string, std::string>& flags_;
  fs::path file_;
  nlohmann::json json_;
};

void ParseListen(const Value& value, Settings& settings) {
  const std::size_t colon = value.text.rfind(':');
  unsigned port = 65536;
  if (colon != std::string::npos) {
    const char* end = value.text.data() + value.text.size();
    const auto parsed = std::from_chars(value.text.data() + colon + 1, end, port);
    if (parsed.ec != std::errc() || parsed.ptr != end) port = 65536;
  }
  if (port > 65535 || colon == 0)
    Sources::Fail("listen", value, "HOST:PORT with a port within 0..65535");
  settings.listen_host = value.text.substr(0, colon);
  if (settings.listen_host.starts_with('[') && settings.listen_host.ends_with(']')) {
    settings.listen_host = settings.listen_host.substr(1, settings.listen_host.size() - 2);
  }
  settings.listen_port = static_cast<unsigned short>(port);
}

void LoadTls(const Sources& sources, Settings& settings) {
  const Value certificate = sources.Get("tls_certificate"), key = sources.Get("tls_key");
  if (certificate.text.empty() && !key.text.empty()) {
    Sources::Fail("tls_key", key, "together with tls_certificate");
  }
  if (!certificate.text.empty() && key.text.empty()) {
    Sources::Fail("tls_certificate", certificate,
                  "together with tls_key (the same file, where it holds both)");
  }
  settings.tls_certificate = certificate.text;
  settings.tls_key = key.text;
  settings.hsts = std::chrono::seconds(sources.Number("hsts_seconds", 0, kMaxHstsSeconds));
}

void LoadLog(const Sources& sources, Settings& settings) {
  const Value level = sources.Get("log_level");
  settings.log_level = level.text;
  if (level.text != "debug" && level.text != "info" && level.text != "warn" &&
      level.text != "error") {
    Sources::Fail("log_level", level, "debug, info, warn or error");
  }
  const Value format = sources.Get("log_format");
  if (format.text != "text" && format.text != "json") {
    Sources::Fail("log_format", format, "text or json");
  }
  settings.log_format = format.text == "json" ? log::Format::kJson : log::Format::kText;
  const Value access = sources.Get("access_log");
  if (access.text != "auto" && access.text != "yes" && access.text != "no") {
    Sources::Fail("access_log", access, "auto (with log_format json), yes or no");
  }
  settings.access_log = access.text == "yes" || (access.text == "auto" && format.text == "json");
}

http::TrustedProxies LoadProxies(const Sources& sources) {
  const Value header = sources.Get("proxy_header");
  if (header.text != "x-forwarded-for" && header.text != "forwarded") {
    Sources::Fail("proxy_header", header, "x-forwarded-for or forwarded");
  }
  const Value list = sources.Get("trusted_proxies");
  auto proxies = http::TrustedProxies::Parse(list.text, header.text);
  if (!proxies.ok()) {
    Sources::Fail("trusted_proxies", list, "a list of addresses: " + proxies.error().detail);
  }
  return *std::move(proxies);
}

Fairness LoadFairness(const Sources& sources) {
  Fairness fairness;
  for (std::size_t pool = 0; pool < http::kPools; ++pool) {
    fairness.workers[pool] = static_cast<unsigned>(sources.Number(kWorkerSettings[pool], 1, 256));
    fairness.limits[pool] =
        static_cast<double>(sources.Number(api::kLimitNames[pool], 0, kMaxRequestRate));
  }
  fairness.connections = sources.Number("connections", 16, kMaxConnections);
  fairness.client_share = sources.Number("client_share_percent", 1, 100);
  fairness.bodies_bytes = sources.Number("bodies_mib", 1, 65536) * kMiB;
  fairness.answers_bytes = sources.Number("answers_mib", 1, 65536) * kMiB;
  fairness.answer_deadline =
      std::chrono::milliseconds(sources.Number("answer_deadline_ms", 1, kMaxDeadlineMs));
  fairness.proxies = LoadProxies(sources);
  return fairness;
}

store::QueueTimes LoadQueueTimes(const Sources& sources) {
  store::QueueTimes times;
  times.lease = std::chrono::milliseconds(sources.Number("job_lease_ms", 100, kMaxLeaseMs));
  times.rest = std::chrono::milliseconds(sources.Number("job_rest_ms", 0, kMaxLeaseMs));
  times.retention = std::chrono::hours(sources.Number("job_retention_hours", 1, kMaxHours));
  return times;
}

Settings Load(const Sources& sources, const Installation& installation) {
  Settings settings;
  ParseListen(sources.Get("listen"), settings);
  LoadTls(sources, settings);
  const Value data = sources.Get("data");
  settings.data = data.text.empty() ? DefaultData() : fs::path(data.text);
  settings.database = sources.Get("database").text;
  const Value archive = sources.Get("wal_archive");
  if (!archive.text.empty() && !settings.database.empty())
    Sources::Fail("wal_archive", archive,
                  "none beside a database of yours, whose own settings say it");
  settings.wal_archive = archive.text;
  settings.backups = sources.Get("backups").text;
  const Value configs = sources.Get("configs");
  settings.configs = configs.text.empty() ? installation.share / "configs" : fs::path(configs.text);
  settings.web = installation.share / "web/dist";
  const Value reads = sources.Get("reads");
  if (reads.text != "open" && reads.text != "key") Sources::Fail("reads", reads, "open or key");
  settings.reads_need_key = reads.text == "key";
  const Value plan = sources.Get("plan_on_claim");
  if (plan.text != "yes" && plan.text != "no") Sources::Fail("plan_on_claim", plan, "yes or no");
  settings.plan_on_claim = plan.text == "yes";
  settings.reactors = static_cast<unsigned>(sources.Number("reactors", 0, 256));
  settings.fairness = LoadFairness(sources);
  settings.database_connections = sources.Number("database_connections", 2, 40);
  settings.cache_bytes = sources.Number("cache_mib", 1, 65536) * kMiB;
  settings.past_bytes = sources.Number("past_mib", 1, 65536) * kMiB;
  settings.body_bytes = sources.Number("body_mib", 1, 1024) * kMiB;
  if (settings.body_bytes > settings.fairness.bodies_bytes) {
    Sources::Fail("body_mib", sources.Get("body_mib"),
                  fmt::format("as much as bodies_mib ({}), or no upload of that size ever fits",
                              settings.fairness.bodies_bytes / kMiB));
  }
  settings.header_deadline =
      std::chrono::milliseconds(sources.Number("header_deadline_ms", 1, kMaxDeadlineMs));
  settings.body_deadline =
      std::chrono::milliseconds(sources.Number("body_deadline_ms", 1, kMaxDeadlineMs));
  settings.lame_duck = std::chrono::milliseconds(
      sources.Number("lame_duck_ms", 0, static_cast<std::size_t>(kLongestLameDuck.count())));
  settings.queue = LoadQueueTimes(sources);
  LoadLog(sources, settings);
  settings.user = sources.Get("user").text;
  return settings;
}

}  // namespace

// With the timer not enabled the package's folder is not there.
fs::path BackupsOf(const Settings& settings) {
  std::error_code error;
  if (!settings.backups.empty()) return settings.backups;
  return fs::exists(kPackagedBackups, error) ? kPackagedBackups : "";
}

std::string FlagOf(std::string setting) {
  std::replace(setting.begin(), setting.end(), '_', '-');
  return "--" + setting;
}

core::Result<Settings> LoadSettings(const std::map<std::string, std::string>& flags,
                                    const fs::path& config_file) {
  try {
    const Installation installation = FindInstallation();
    return Load(Sources(flags, config_file, installation), installation);
  } catch (const Wrong& wrong) {
    return wrong.error;
  }
}

}  // namespace tunehub::server
