#include "agent/hub/online_options.h"

#include <CLI/CLI.hpp>

#include "agent/hub/http_client.h"

namespace tunehub::agent {

void AddHubOptions(CLI::App& app, OnlineOptions& options) {
  options.timeout_s = static_cast<unsigned>(kRequestTimeout.count());
  app.add_option("--hub", options.hub, "the hub's address")->envname("TUNEHUB_HUB");
  app.add_option("--key", options.key, "an API key, thub_...")->envname("TUNEHUB_KEY");
  app.add_option("--tries", options.retry.tries, "how often a request is sent at most")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
}

void AddOnlineOptions(CLI::App& app, OnlineOptions& options) {
  AddHubOptions(app, options);
  app.add_option("--timeout", options.timeout_s, "seconds for one request")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
}

core::Result<std::unique_ptr<HubClient>> Connect(const OnlineOptions& options) {
  return MakeHttpClient({options.hub, options.key, std::chrono::seconds(options.timeout_s)});
}

}  // namespace tunehub::agent
