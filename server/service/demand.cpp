#include "server/service/demand.h"

#include <nlohmann/json.hpp>

#include "core/cell.h"
#include "server/service/demand_fold.h"
#include "server/service/shape_json.h"

namespace tunehub::service {
namespace {

using Json = nlohmann::ordered_json;

Written Refuse(core::Error error, std::vector<core::RowIssue> issues = {}) {
  return {"", false, Refusal{std::move(error), std::move(issues)}};
}

// By reference alone: copying or writing out what is nested a million times would end the stack.
std::string TextOf(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  if (value.is_number()) return value.dump();
  return "(" + std::string(value.type_name()) + ")";  // which nothing takes for a value
}

std::string MemberText(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? "" : TextOf(*found);
}

core::Result<core::Wanted> ReadItem(const core::Family& family, const nlohmann::json& item,
                                    const core::DemandTarget& target, std::size_t row,
                                    std::vector<core::RowIssue>& rejected) {
  core::Wanted wanted;
  wanted.target = target;
  auto issue = ReadShapeJson(family, target.gfx, item, row, wanted.shape);
  if (!issue && item.contains("count")) {
    const auto count = core::ParseCount(TextOf(item.at("count")));
    if (!count.ok()) {
      issue = core::RowIssue{row, "count", count.error().code, count.error().detail};
    } else {
      wanted.count = *count;
    }
  }
  if (!issue) return wanted;
  rejected.push_back(*issue);
  return core::Error{issue->code, issue->detail};
}

// {"gfx":"gfx942","cu_num":304,"shapes":[{...,"count":12}]}
core::Result<core::UntunedTable> ReadJson(const core::Family& family, std::string_view body,
                                          core::DemandTarget target) {
  if (body.size() > kMaxDemandJsonBytes) {
    return core::Error{"too_large", "JSON of more than " + std::to_string(kMaxDemandJsonBytes) +
                                        " bytes: send CSV"};
  }
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return core::Error{"bad_json", "the body is no JSON object"};
  for (const auto& [name, value] : json.items()) {
    if (name != "gfx" && name != "cu_num" && name != "shapes") {
      return core::Error{"bad_json", "'" + std::string(core::Excerpt(name)) +
                                         "' is unknown; a body has gfx, cu_num and shapes"};
    }
  }
  if (json.contains("gfx") || json.contains("cu_num")) {
    const auto own = core::ParseDemandTarget(MemberText(json, "gfx"), MemberText(json, "cu_num"));
    if (!own.ok()) return core::Error{"bad_json", own.error().detail};
    target = *own;
  }
  if (!json.contains("shapes") || !json.at("shapes").is_array()) {
    return core::Error{"bad_json", "the body has no array \"shapes\""};
  }
  if (json.at("shapes").size() > kMaxDemandRows) {
    return core::Error{"too_many_rows", "more than " + std::to_string(kMaxDemandRows) + " shapes"};
  }
  core::UntunedTable table;
  std::size_t row = 0;
  for (const auto& item : json.at("shapes")) {
    auto wanted = ReadItem(family, item, target, ++row, table.rejected);
    if (wanted.ok()) table.rows.push_back(*std::move(wanted));
  }
  return table;
}

std::string RenderReceipt(const core::Family& family, const core::UntunedTable& table,
                          std::size_t shapes, std::size_t is_new, bool dry_run) {
  std::int64_t count = 0;
  for (const core::Wanted& wanted : table.rows) count += wanted.count;
  std::vector<core::RowIssue> listed = table.rejected;
  if (listed.size() > kMaxListed) listed.resize(kMaxListed);
  const Json json = {{"family", family.name},
                     {"dry_run", dry_run},
                     {"rows", table.rows.size() + table.rejected.size()},
                     {"accepted", table.rows.size()},
                     {"shapes", shapes},
                     {"new", is_new},
                     {"count", count},
                     {"rejected_count", table.rejected.size()},
                     {"rejected", Json::parse(RenderIssues(listed))}};
  return json.dump();
}

}  // namespace

Written Demand::Post(const core::Family& family, std::string_view body, BodyFormat format,
                     const core::DemandTarget& target, const WriteContext& context) {
  const auto table = format == BodyFormat::kCsv
                         ? core::ReadUntunedTable(family, body, target, kMaxDemandRows)
                         : ReadJson(family, body, target);
  if (!table.ok()) return Refuse(table.error());
  if (context.atomic && !table->rejected.empty()) {
    return Refuse({"rejected_rows", std::to_string(table->rejected.size()) +
                                        " rows are rejected, and atomic=1: nothing was stored"},
                  table->rejected);
  }
  const auto rows = FoldDemand(family, definitions_.Id(family), table->rows);
  auto outcome = store_.queue().AddDemand(
      {"demand", context.api_key, context.idempotency_key, context.digest, context.dry_run}, rows,
      [&](std::size_t is_new) {
        return RenderReceipt(family, *table, rows.size(), is_new, context.dry_run);
      });
  if (!outcome.ok()) return Refuse(outcome.error());
  return {std::move(outcome->receipt), outcome->replayed, std::nullopt};
}

std::vector<WantedShape> Demand::Untuned(const core::Family& family,
                                         const core::DemandTarget& target, bool raw,
                                         std::size_t limit) {
  const auto demand = store_.queue().ReadDemand(definitions_.Id(family), target.gfx, target.cu_num);
  auto shapes = ByDemand(NotTuned(*snapshots_.Current(family), demand, target, raw));
  if (shapes.size() > limit) shapes.resize(limit);
  return shapes;
}

}  // namespace tunehub::service
