#include "server/db/connection_url.h"

#include <fmt/core.h>
#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/base/encoding.h"
#include "core/base/text.h"

namespace tunehub::server {
namespace {

// libpq reads the URL, the environment and service files only when it connects. This code adds a
// wrong setting after them, so libpq stops before it searches for a host. Then its options can be
// read.
using HalfMade = std::unique_ptr<PGconn, decltype(&PQfinish)>;

HalfMade ReadOnlyItsOptions(const std::string& url) {
  const char* const names[] = {"dbname", "sslmode", nullptr};
  const char* const values[] = {url.c_str(), "no such mode", nullptr};
  return {PQconnectStartParams(names, values, 1), &PQfinish};
}

using Options = std::map<std::string, std::string>;

// The options by name. Empty if libpq cannot read the URL; connecting then reports the error.
Options OptionsOf(const std::string& url) {
  Options options;
  const HalfMade half_made = ReadOnlyItsOptions(url);
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> read(
      PQconninfo(half_made.get()), &PQconninfoFree);
  if (read == nullptr) return options;
  for (const PQconninfoOption* it = read.get(); it->keyword != nullptr; ++it) {
    if (it->val != nullptr) options[it->keyword] = it->val;
  }
  return options;
}

// One host of the options. "": the options lack this value.
struct Place {
  std::string host, address, port;

  std::string Name() const {
    const std::string& name = host.empty() ? address : host;
    return name.empty() ? "the local socket" : NameOf(name, port);
  }
};

std::vector<Place> PlacesOf(Options& options) {
  const auto names = core::SplitAt(options["host"], ","),
             addresses = core::SplitAt(options["hostaddr"], ","),
             ports = core::SplitAt(options["port"], ",");
  const auto at = [](const std::vector<std::string_view>& list, std::size_t i) {
    return std::string(list.size() == 1 ? list[0] : i < list.size() ? list[i] : "");
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < std::max(names.size(), addresses.size()); ++i)
    places.push_back({at(names, i), at(addresses, i), at(ports, i)});
  return places;
}

// The URL with only these hosts, in this order.
std::string UrlOf(std::string url, Options& options, const std::vector<Place>& places) {
  const auto set = [&](const char* option, std::string Place::*part) {
    std::string list;
    for (const Place& it : places) list += (&it == places.data() ? "" : ",") + it.*part;
    if (!options[option].empty()) Override(url, option, list);
  };
  set("host", &Place::host);
  set("hostaddr", &Place::address);
  set("port", &Place::port);
  return url;
}

std::string QuotedForKeyword(std::string_view value) {
  std::string quoted = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

struct SessionSetting {
  std::string_view name, value;
};

constexpr SessionSetting kSessionSettings[] = {
    // Time limits of a statement, of its wait for a lock, and of an idle transaction.
    {"statement_timeout", "120s"},
    {"lock_timeout", "30s"},
    {"idle_in_transaction_session_timeout", "60s"},
    // Statements are slower with PostgreSQL's own values.
    {"jit", "off"},
    {"work_mem", "64MB"},
    {"temp_buffers", "64MB"},
    {"client_min_messages", "warning"},
    // The only form in which the stores read values.
    {"client_encoding", "UTF8"},
    {"bytea_output", "hex"},
    {"TimeZone", "UTC"},
    {"DateStyle", "ISO, YMD"},
    {"IntervalStyle", "postgres"},
    {"extra_float_digits", "1"},
    // PostgreSQL's syntax of statements, and the isolation in which a batch sees commits that it
    // waited for.
    {"standard_conforming_strings", "on"},
    {"array_nulls", "on"},
    {"transform_null_equals", "off"},
    {"default_transaction_isolation", "read committed"},
};

}  // namespace

// libpq takes the later of two values with one name.
void Override(std::string& url, std::string_view name, std::string_view value) {
  if (url.find("://") == std::string::npos) {
    url += fmt::format(" {}={}", name, QuotedForKeyword(value));
    return;
  }
  url += fmt::format("{}{}={}", url.find('?') == std::string::npos ? '?' : '&', name,
                     core::PercentEncoded(value));
}

bool MeansAnyOfSeveral(const std::string& url) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  if (std::getenv("PGTARGETSESSIONATTRS") != nullptr) return false;
  auto options = OptionsOf(url);
  const bool several = options["host"].find(',') != std::string::npos ||
                       options["hostaddr"].find(',') != std::string::npos;
  const std::string& wanted = options["target_session_attrs"];
  return several && (wanted.empty() || wanted == "any");
}

std::string NameOf(const std::string& host, const std::string& port) {
  return fmt::format("{}:{}", host, port);
}

std::vector<OneHost> HostsOf(const std::string& url) {
  auto options = OptionsOf(url);
  const std::vector<Place> places = PlacesOf(options);
  if (places.size() == 1 || options["target_session_attrs"] == "prefer-standby")
    return {{places[0].Name(), url}};
  std::vector<OneHost> hosts;
  for (const Place& it : places) hosts.push_back({it.Name(), UrlOf(url, options, {it})});
  return hosts;
}

std::string WithLast(const std::string& url, const std::set<std::string>& names) {
  auto options = OptionsOf(url);
  std::vector<Place> places = PlacesOf(options);
  if (places.size() == 1) return url;
  std::ranges::stable_partition(places,
                                [&](const Place& it) { return !names.contains(it.Name()); });
  return UrlOf(url, options, places);
}

std::string SessionSettings() {
  std::string statements;
  for (const SessionSetting& it : kSessionSettings)
    statements += fmt::format("SET {} = '{}';", it.name, it.value);
  return statements;
}

core::Result<std::map<std::string, std::string>> ConnectionEnvironment(const std::string& url) {
  char* wrong = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(url.c_str(), &wrong), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> reason(wrong, &PQfreemem);
  if (options == nullptr) {
    return core::Error{"bad_setting",
                       std::string("database: ") + (wrong == nullptr ? "out of memory" : wrong)};
  }
  std::map<std::string, std::string> environment;
  for (const PQconninfoOption* it = options.get(); it->keyword != nullptr; ++it) {
    if (it->val != nullptr && it->envvar != nullptr) environment[it->envvar] = it->val;
  }
  // As in the connection pool: of several hosts, the hub uses the host that accepts writes.
  if (MeansAnyOfSeveral(url)) environment["PGTARGETSESSIONATTRS"] = "read-write";
  std::erase_if(environment, [](const auto& it) { return it.second.empty(); });
  return environment;
}

}  // namespace tunehub::server
