#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/signature.h"
#include "core/base/text.h"
#include "server/answers/answer.h"
#include "server/answers/issues.h"
#include "server/answers/parameters.h"
#include "server/keys/channel_store.h"
#include "server/keys/routes.h"

namespace tunehub::server {
namespace {

constexpr std::int64_t kListedStatements = 100;
constexpr std::string_view kRollBack = "before";

// Answers with the channel's current signed statement, and earlier statements. Errors:
// unknown_channel.
http::Response ChannelAnswer(const KeyServices& services, std::string_view channel) {
  const std::string name(channel);
  const auto statements = ListChannel(services.pool, name, kListedStatements);
  if (statements.empty()) {
    return ProblemFor(
        {"unknown_channel", fmt::format("unknown channel '{}'", core::Excerpt(name))});
  }
  auto history = nlohmann::ordered_json::array();
  for (const auto& [sequence, pin, at, owner] : statements)
    history.push_back({{"sequence", sequence}, {"pin", pin.Text()}, {"at", at}, {"owner", owner}});
  const auto& [sequence, pin, at, owner] = statements.front();
  const std::string text = fmt::format("{} {} {} {}\n", name, sequence, pin.Text(), at);
  nlohmann::ordered_json json = {{"channel", name}};
  json.update(history.front());
  json["statement"] = text;
  if (const core::SecretKey& key = services.signing_key; key.any())
    json["signature"] = SignAnswer(key, pin, core::AskedText("/channels/" + name, {}), text);
  json["history"] = std::move(history);
  return http::JsonResponse(200, json.dump());
}

http::Response GetChannel(const KeyServices& services, const http::Request&,
                          std::string_view channel) {
  return ChannelAnswer(services, channel);
}

http::Response PostChannel(const KeyServices& services, const http::Request& request,
                           std::string_view channel, const Caller& caller) {
  RequestQuery query(request, {"to"});
  if (!core::IsChannelName(channel))
    query.Fail(BadParameter("channel", channel, core::kChannelRule));
  const bool back = query.Raw("to") == kRollBack;
  std::optional<core::Pin> pin;
  if (!back) pin = query.Pin("to");
  if (pin) pin = query.Take(services.revisions.Find(pin));
  if (!back && (!pin || pin->number == 0))
    query.Fail({"bad_parameter", "to: expected a pin of a revision with rows, or 'before'"});
  if (!query.ok()) return ProblemFor(query.error());
  const core::Status may = CheckUnlimited(caller, fmt::format("the channel '{}'", channel));
  if (!may.ok()) return ProblemFor(may.error());
  const bool moved = MoveChannel(services.pool, std::string(channel), pin, caller);
  if (back && !moved) {
    return ProblemFor(
        {"no_earlier", fmt::format("the channel '{}' has no earlier revision", channel)});
  }
  return ChannelAnswer(services, channel);
}

}  // namespace

std::vector<Endpoint> ChannelRoutes(const KeyServices& services) {
  return {
      NoQuery({"GET", "/channels/{name}", With(services, GetChannel, "name")}),
      {"POST", "/channels/{name}", With(services, PostChannel, "name"), "admin"},
  };
}

}  // namespace tunehub::server
