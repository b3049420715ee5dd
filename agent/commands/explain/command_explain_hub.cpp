#include "agent/base/command_line.h"
#include "agent/commands/explain/command_explain.h"
#include "agent/hub/online_options.h"

namespace tunehub::agent {
namespace {

// A person waits: a hub that is away is said to be after a second or two.
constexpr int kTries = 2;

}  // namespace

int RunExplainWithHub(int argc, char** argv, Console& console) {
  ExplainArguments arguments;
  OnlineOptions online;
  online.retry.tries = kTries;
  const auto add_hub = [&](cli::CommandLine& line) { AddOnlineOptions(line, online); };
  if (const auto code = ParseExplain(argc, argv, add_hub, arguments, console)) return *code;
  auto configuration = LoadConfiguration(arguments.configs);
  if (!configuration.ok()) return Fail(console, "explain", configuration.error());
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "explain", hub.error());
  arguments.options.hub = online.hub;
  const Pauses pauses = Pauses::Real();
  const auto source = RowsOfHub(*configuration, online.hub, **hub, online.retry, pauses);
  return Explain(*configuration, arguments.options, source.get(), console);
}

}  // namespace tunehub::agent
