#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command.h"
#include "agent/hub/http_client.h"
#include "agent/transfer/commands.h"
#include "core/base/read_json.h"
#include "core/base/signature.h"

namespace tunehub::agent {
namespace {

struct ChannelOptions {
  std::string action, name, pin;
  bool json = false;
  OnlineOptions online;
};

// Errors: bad_arguments.
core::Status CheckChannel(const ChannelOptions& options) {
  const bool promote = options.action == "promote";
  if (promote == options.pin.empty()) {
    return core::Error{"bad_arguments", promote ? "pass a PIN to promote, such as 17-0f3a..."
                                                : options.action + ": leave out the PIN"};
  }
  if (core::IsChannelName(options.name)) return core::Ok();
  return core::Error{"bad_arguments",
                     fmt::format("channel '{}': expected {}", options.name, core::kChannelRule)};
}

// The hub's answer about the channel, after a move if the action is one. A rollback is not sent
// again if its answer was lost, since the channel could go back twice.
core::Result<std::string> AskChannel(HubClient& hub, const ChannelOptions& options,
                                     const Pauses& pauses) {
  const std::string path = "/channels/" + options.name;
  if (options.action == "history") return GetBody(hub, path, {}, options.online.retry, pauses);
  const bool back = options.action == "rollback";
  RetryPolicy policy = options.online.retry;
  if (back) policy.tries = 1;
  const std::string target = WithQuery(path, {{"to", back ? "before" : options.pin}});
  auto answer = SendWithRetries(hub, {"POST", target, {}, ""}, policy, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status != 200) return HubErrorOf(ProblemOf(*answer));
  return std::move(answer->body);
}

}  // namespace

int RunChannel(int argc, char** argv, Console& console) {
  ChannelOptions options;
  cli::CommandLine line("Moves a channel (a signed name for a pin), or lists its history.",
                        "tunehub-agent channel");
  line.Add("ACTION", options.action, "promote, rollback or history")
      .OneOf({"promote", "rollback", "history"})
      .Required();
  line.Add("NAME", options.name, "the channel, such as stable").Required();
  line.Add("PIN", options.pin, "with promote: the revision that the channel then names");
  line.AddFlag("--json", options.json, "as JSON");
  AddOnlineOptions(line, options.online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (const auto status = CheckChannel(options); !status.ok())
    return Fail(console, "channel", status.error());
  const auto hub = Connect(options.online);
  if (!hub.ok()) return Fail(console, "channel", hub.error());
  const auto body = AskChannel(**hub, options, Pauses::Telling(console.err));
  if (!body.ok()) return Fail(console, "channel", body.error());
  const auto json = core::ReadJson(*body);
  const bool whole = json.is_object() && json.contains("history") && json["history"].is_array();
  if (!whole) return Fail(console, "channel", {"bad_answer", "the hub lists no history"});
  if (options.json) {
    console.out << json.dump(2) << '\n';
    return kGood;
  }
  for (const auto& it : json["history"]) {
    if (!it.is_object()) continue;
    console.out << fmt::format("{}  {}  {}  by {}\n", Count(it, "sequence"), PlainMember(it, "pin"),
                               PlainMember(it, "at"), PlainMember(it, "owner"));
    if (options.action != "history") break;
  }
  return kGood;
}

}  // namespace tunehub::agent
