#include "agent/hub/online_options.h"

#include "agent/hub/http_client.h"

namespace tunehub::agent {

void AddHubOptions(cli::CommandLine& line, OnlineOptions& options) {
  options.timeout_s = static_cast<unsigned>(kRequestTimeout.count());
  line.Add("--hub", options.hub, "the hub's address").Env("TUNEHUB_HUB");
  line.Add("--key", options.key, "an API key, thub_...").Env("TUNEHUB_KEY");
  line.Add("--tries", options.retry.tries, "how often a request is sent at most")
      .Range(1, 100)
      .ShowDefault();
}

void AddOnlineOptions(cli::CommandLine& line, OnlineOptions& options) {
  AddHubOptions(line, options);
  line.Add("--timeout", options.timeout_s, "seconds for one request").Range(1, 3600).ShowDefault();
}

core::Result<std::unique_ptr<HubClient>> Connect(const OnlineOptions& options) {
  return MakeHttpClient({options.hub, options.key, std::chrono::seconds(options.timeout_s)});
}

}  // namespace tunehub::agent
