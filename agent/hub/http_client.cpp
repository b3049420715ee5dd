#include "agent/hub/http_client.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>

#include "agent/base/terminal.h"
#include "build_info.h"
#include "core/base/archive.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

// The least difference for a warning. Smaller differences are normal, because clocks are corrected
// from time to time, and a Date has whole seconds.
constexpr std::chrono::seconds kClockPatience{60};

// A Date may name a year beyond the range of system_clock::time_point.
using std::chrono::sys_seconds;
using std::chrono::system_clock;

// "Sun, 06 Nov 1994 08:49:37 GMT", the only form that servers still write (RFC 9110).
std::optional<sys_seconds> HttpDate(const std::string& text) {
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return sys_seconds(std::chrono::seconds(::timegm(&parts)));
}

std::string Differs(std::chrono::seconds by, const char* how) {
  return fmt::format(
      "this host's clock is {} {} the hub's clock. Set the wrong clock; until then, the timestamps "
      "of this host's measurements may be wrong by this time",
      DurationText(std::chrono::round<std::chrono::minutes>(by)), how);
}

using Clock = Connection::Clock;

// True if the hub applies the request only once even if it arrives twice. Then the agent may repeat
// the request at once if a reused connection is already closed.
bool IsRepeatable(const Request& request) {
  constexpr std::array kIdempotent = {"GET", "HEAD", "PUT", "DELETE"};
  return std::ranges::find(kIdempotent, request.method) != kIdempotent.end() ||
         std::ranges::any_of(request.headers, [](const auto& header) {
           return core::Lower(header.first) == "idempotency-key";
         });
}

core::Result<Answer> Unzipped(const Request& request, Answer answer) {
  if (answer.Header("content-encoding") != "gzip") return answer;
  auto decoded = core::Gunzip(answer.body, MostBytes(request, answer.status));
  // For a client, an answer beyond the limit and an answer that cannot be decompressed are the same
  // error.
  if (!decoded.ok()) return core::Error{"bad_gzip", decoded.error().detail};
  answer.body = *std::move(decoded);
  return answer;
}

// Warns once per process: a daemon sends requests all day.
void WarnOfClock(const Answer& answer, std::chrono::system_clock::time_point sent) {
  static std::once_flag warned;
  const std::string why = ClockDifference(answer, sent, std::chrono::system_clock::now());
  if (why.empty()) return;
  std::call_once(warned, [&] { std::fprintf(NotesFile(), "tunehub-agent: %s\n", why.c_str()); });
}

class HttpHub : public HubClient {
 public:
  HttpHub(HubAddress address, Url url, Trust trust)
      : address_(std::move(address)), url_(std::move(url)), trust_(std::move(trust)) {}

  core::Result<Answer> Send(const Request& request) override {
    const auto began = Clock::now();
    core::Result<Answer> answer = Exchange(request);
    if (Notes().requests) Tell(request, answer, Clock::now() - began);
    return answer;
  }
  std::string url() const override { return address_.url; }
  void SetTry(int number) override { try_ = number; }

 private:
  // An address has no secrets: ParseUrl refuses a user name, and the key is in a header.
  void Tell(const Request& request, const core::Result<Answer>& answer,
            Clock::duration took) const {
    const std::string line = fmt::format(
        "{} {}{}: {}, {} ms, try {}", request.method, address_.url, request.target,
        answer.ok() ? std::to_string(answer->status) : answer.error().code,
        std::chrono::duration_cast<std::chrono::milliseconds>(took).count(), try_.load());
    std::fprintf(NotesFile(), "%s\n", core::PlainText(line).c_str());
  }

  core::Result<Answer> Exchange(const Request& request) {
    const Request whole = WithHeaders(request);
    const auto deadline = Clock::now() + address_.timeout;
    const auto sent = std::chrono::system_clock::now();
    std::unique_ptr<Connection> connection = TakeKept();
    const bool kept = connection != nullptr;
    if (!kept) connection = MakeConnection(url_, trust_);
    core::Result<Answer> answer = connection->Exchange(whole, deadline);
    // Tries again, since the server closed the reused connection just before this request.
    if (kept && !answer.ok() && !connection->Heard() && IsRepeatable(request) &&
        Clock::now() < deadline) {
      connection = MakeConnection(url_, trust_);
      answer = connection->Exchange(whole, deadline);
    }
    if (!answer.ok()) return Named(answer.error());
    WarnOfClock(*answer, sent);
    Keep(std::move(connection));
    return Unzipped(request, *std::move(answer));
  }

  Request WithHeaders(const Request& request) const {
    Request whole = request;
    whole.headers = {{"User-Agent", "tunehub-agent/" TUNEHUB_VERSION}, {"Accept-Encoding", "gzip"}};
    if (!address_.key.empty()) {
      whole.headers.emplace_back("Authorization", "Bearer " + address_.key);
    }
    // These come last, so that the request's own headers win.
    whole.headers.insert(whole.headers.end(), request.headers.begin(), request.headers.end());
    return whole;
  }

  core::Error Named(const core::Error& error) const {
    struct Code {
      std::string_view of_connection, of_hub;
    };
    constexpr Code kCodes[] = {
        {kNoAnswer, kHubUnreachable}, {kUntrusted, kHubUntrusted}, {kOtherScheme, "bad_hub"}};
    for (const Code& code : kCodes) {
      if (error.code == code.of_connection) {
        return {std::string(code.of_hub),
                fmt::format("the hub at {}: {}", address_.url, error.detail)};
      }
    }
    return error;
  }

  // Each request owns its connection. The client keeps one idle connection for the next request.
  std::unique_ptr<Connection> TakeKept() {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Connection> kept = std::move(kept_);
    return kept != nullptr && kept->Lives() ? std::move(kept) : nullptr;
  }

  void Keep(std::unique_ptr<Connection> connection) {
    if (!connection->Lives()) return;
    const std::lock_guard lock(mutex_);
    kept_ = std::move(connection);
  }

  const HubAddress address_;
  const Url url_;
  const Trust trust_;
  std::mutex mutex_;
  std::unique_ptr<Connection> kept_;
  std::atomic<int> try_{1};
};

core::Result<Url> ParseAddress(const std::string& address) {
  if (address.empty()) {
    return core::Error{"bad_hub",
                       "the hub's address is missing: pass --hub URL or set TUNEHUB_HUB"};
  }
  auto url = ParseUrl(address);
  if (url.ok()) return url;
  return core::Error{
      "bad_hub",
      fmt::format("the hub's address '{}': {}. Expected an address such as http://hub:8080",
                  address, url.error().detail)};
}

}  // namespace

std::string ClockDifference(const Answer& answer, system_clock::time_point sent,
                            system_clock::time_point received) {
  const auto date = HttpDate(answer.Header("date"));
  if (!date || answer.headers.contains("age")) return "";
  const sys_seconds first = std::chrono::floor<std::chrono::seconds>(sent);
  const sys_seconds last = std::chrono::floor<std::chrono::seconds>(received);
  if (*date > last + kClockPatience) return Differs(*date - last, "behind");
  if (*date < first - kClockPatience) return Differs(first - *date, "ahead of");
  return "";
}

core::Result<std::string> HubIdentity(const std::string& url) {
  const auto parsed = ParseAddress(url);
  if (!parsed.ok()) return parsed.error();
  return parsed->Normal();
}

core::Result<std::unique_ptr<HubClient>> MakeHttpClient(const HubAddress& address) {
  auto url = ParseAddress(address.url);
  if (!url.ok()) return url.error();
  Trust trust;
  if (url->tls) {
    auto loaded = LoadTrust(address.ca_file);
    if (!loaded.ok()) return loaded.error();
    trust = *std::move(loaded);
  }
  return std::unique_ptr<HubClient>(
      std::make_unique<HttpHub>(address, *std::move(url), std::move(trust)));
}

void AddOnlineOptions(cli::CommandLine& line, OnlineOptions& options) {
  line.Add("--hub", options.hub, "the hub's address").Env("TUNEHUB_HUB");
  line.Add("--key", options.key, "an API key, thub_...").Env("TUNEHUB_KEY");
  line.Add("--ca", options.ca_file,
           "file of trusted certificate authorities for an https hub; default: the system's file")
      .Env("TUNEHUB_CA");
  line.Add("--tries", options.retry.tries, "how often a request is sent at most")
      .Range(1, 100)
      .ShowDefault();
  line.Add("--request-timeout", options.request_timeout_s,
           "timeout of one request to the hub, in seconds")
      .Range(1, 3600)
      .ShowDefault();
}

bool AsksForHub(int argc, const char* const* argv, const OnlineOptions& options, bool names_files) {
  if (!options.hub.empty() && !names_files) return true;
  return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument == "--hub" || argument.starts_with("--hub=");
  });
}

core::Result<std::unique_ptr<HubClient>> Connect(const OnlineOptions& options) {
  auto host = MakeHttpClient(
      {options.hub, options.key, std::chrono::seconds(options.request_timeout_s), options.ca_file});
  if (!host.ok()) return host.error();
  return std::unique_ptr<HubClient>(std::make_unique<StaticHub>(*std::move(host), options.hub));
}

core::Result<Answer> Get(HubClient& hub, const std::string& path, const Parameters& parameters,
                         const RetryPolicy& retry, const Pauses& pauses) {
  auto answer = SendWithRetries(hub, {"GET", WithQuery(path, parameters), {}, ""}, retry, pauses);
  if (!answer.ok() || answer->status == 200) return answer;
  return ToError(ProblemOf(*answer));
}

}  // namespace tunehub::agent
