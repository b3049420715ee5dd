#include <fmt/core.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command.h"
#include "agent/hub/http_client.h"
#include "agent/transfer/commands.h"
#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

struct AcceptOptions {
  std::int64_t run = 0;
  bool dry_run = false;
  bool json = false;
  OnlineOptions online;
};

core::Result<nlohmann::json> Accept(HubClient& hub, const AcceptOptions& options,
                                    const Pauses& pauses) {
  Parameters parameters;
  if (options.dry_run) parameters.emplace_back("dry_run", "1");
  const Request request{"POST",
                        WithQuery("/rows/accept", parameters),
                        {{"Content-Type", "application/json"}},
                        nlohmann::json{{"run", options.run}}.dump()};
  const auto answer = SendWithRetries(hub, request, options.online.retry, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status != 200) return HubErrorOf(ProblemOf(*answer));
  auto json = core::ReadJson(answer->body);
  if (json.is_object()) return json;
  return core::Error{"bad_answer", "the hub's answer does not list what it accepted"};
}

}  // namespace

int RunAccept(int argc, char** argv, Console& console) {
  AcceptOptions options;
  cli::CommandLine line(
      "Makes the hub serve a run's unconfirmed rows now, before another owner or a job confirms "
      "them. Needs a key of scope admin.",
      "tunehub-agent accept");
  line.Add("RUN", options.run, "the run's number, as in a receipt").Required();
  line.AddFlag("--dry-run", options.dry_run, "print what would change, but change nothing");
  line.AddFlag("--json", options.json, "the hub's answer as JSON");
  AddOnlineOptions(line, options.online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto hub = Connect(options.online);
  if (!hub.ok()) return Fail(console, "accept", hub.error());
  const auto answer = Accept(**hub, options, Pauses::Telling(console.err));
  if (!answer.ok()) return Fail(console, "accept", answer.error());
  if (options.json) {
    console.out << answer->dump(2) << '\n';
    return kGood;
  }
  console.out << fmt::format("run {}: {} rows {}accepted, {} shape keys {} another row\n",
                             options.run, Count(*answer, "accepted"),
                             options.dry_run ? "would be " : "", Count(*answer, "changed"),
                             options.dry_run ? "would have" : "have");
  return kGood;
}

}  // namespace tunehub::agent
