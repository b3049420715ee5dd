#include "agent/hub/online_options.h"

#include <algorithm>
#include <string_view>

#include "agent/hub/static_hub.h"

namespace tunehub::agent {

void AddOnlineOptions(cli::CommandLine& line, OnlineOptions& options) {
  line.Add("--hub", options.hub, "the hub's address").Env("TUNEHUB_HUB");
  line.Add("--key", options.key, "an API key, thub_...").Env("TUNEHUB_KEY");
  line.Add("--ca", options.ca_file,
           "a file of the authorities that an https hub's certificate may be from; default: the "
           "system's")
      .Env("TUNEHUB_CA");
  line.Add("--tries", options.retry.tries, "how often a request is sent at most")
      .Range(1, 100)
      .ShowDefault();
  line.Add("--request-timeout", options.request_timeout_s, "seconds for one request to the hub")
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
  std::unique_ptr<HubClient> hub = std::make_unique<StaticHub>(*std::move(host), options.hub);
  return hub;
}

}  // namespace tunehub::agent
