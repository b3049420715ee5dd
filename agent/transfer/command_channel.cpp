#include <fmt/core.h>

#include <ostream>

#include "agent/transfer/commands.h"
#include "agent/transfer/listing.h"
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

// A rollback is not sent again if its answer was lost, since the channel could go back twice.
core::Result<ListJson> AskChannel(HubClient& hub, const ChannelOptions& options) {
  const std::string path = "/channels/" + options.name;
  if (options.action == "history") return GetEntry(hub, {"GET", path, {}, ""}, options.online);
  const bool back = options.action == "rollback";
  OnlineOptions online = options.online;
  if (back) online.retry.tries = 1;
  const Parameters to = {{"to", back ? "before" : options.pin}};
  return GetEntry(hub, {"POST", WithQuery(path, to), {}, ""}, online);
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
  const auto json = AskChannel(**hub, options);
  if (!json.ok()) return Fail(console, "channel", json.error());
  if (options.json) {
    console.out << json->dump(2) << '\n';
    return kGood;
  }
  for (const ListJson& it : json->value("history", ListJson::array())) {
    console.out << fmt::format("{}  {}  {}  by {}\n", MemberText(it, "sequence"),
                               MemberText(it, "pin"), MemberText(it, "at"),
                               MemberText(it, "owner"));
    if (options.action != "history") break;
  }
  return kGood;
}

}  // namespace tunehub::agent
