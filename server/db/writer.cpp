#include "server/db/writer.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <utility>

#include "core/base/text.h"

namespace tunehub::server {
namespace {

core::Error KeyLimited(std::string_view limit, const std::string& value,
                       const std::vector<std::string>& allowed) {
  return {"key_limited",
          fmt::format("{}: the key may write only for {}, but this request is for {}", limit,
                      fmt::join(allowed, ", "), value)};
}

}  // namespace

std::string DescribeLimits(const KeyLimits& limits) {
  std::string text;
  for (const KeyLimit& limit : kLimitLists) {
    const std::vector<std::string>& list = limits.*limit.list;
    if (list.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", limit.name, fmt::join(list, " "));
  }
  return text;
}

core::Status CheckFamily(const Writer& writer, std::string_view family) {
  if (!writer.limits || writer.limits->families.empty()) return core::Ok();
  if (core::Contains(writer.limits->families, family)) return core::Ok();
  return KeyLimited("families", std::string(family), writer.limits->families);
}

core::Status CheckUnlimited(const Writer& writer, const std::string& what) {
  if (!writer.limits || !writer.limits->any()) return core::Ok();
  return core::Error{"key_limited",
                     fmt::format("the key may write only for {}, but {} is for all of them",
                                 DescribeLimits(*writer.limits), what)};
}

core::Status CheckTarget(const Writer& writer, std::string_view gfx, int cu_num) {
  if (!writer.limits || writer.limits->targets.empty()) return core::Ok();
  const auto& targets = writer.limits->targets;
  if (core::Contains(targets, gfx) ||
      (cu_num > 0 && core::Contains(targets, fmt::format("{}:{}", gfx, cu_num)))) {
    return core::Ok();
  }
  const std::string cus = cu_num > 0 ? std::to_string(cu_num) : "any CU count";
  return KeyLimited("targets", gfx.empty() ? "any" : fmt::format("{}:{}", gfx, cus), targets);
}

core::Status CheckSource(const Writer& writer, std::string_view source) {
  if (!writer.limits || writer.limits->sources.empty()) return core::Ok();
  if (core::Contains(writer.limits->sources, source)) return core::Ok();
  return KeyLimited(
      "sources",
      source.empty() ? std::string("rows that have no source") : std::string(core::Excerpt(source)),
      writer.limits->sources);
}

core::Status CheckOwner(const Writer& writer, const std::string& what, const std::string& owner) {
  if (writer.MayChange(owner)) return core::Ok();
  return core::Error{"not_owner",
                     fmt::format("{} belongs to '{}', but the key acts for '{}'. Only keys of the "
                                 "same owner, or of scope admin, may change it",
                                 what, owner, writer.owner)};
}

WriteAnswer Answered(core::Result<WriteOutcome> outcome) {
  if (!outcome.ok()) return Refuse(outcome.error());
  return {std::move(outcome->receipt), outcome->replayed, std::nullopt};
}

WriteAnswer Refuse(core::Error error, std::vector<core::RowIssue> issues) {
  return {"", false, Refusal{std::move(error), std::move(issues)}};
}

WriteAnswer RefuseRejected(std::vector<core::RowIssue> issues) {
  core::Error error{
      "rejected_rows",
      fmt::format("nothing was stored, because {} rows are rejected and atomic=1 is set",
                  issues.size())};
  return Refuse(std::move(error), std::move(issues));
}

}  // namespace tunehub::server
