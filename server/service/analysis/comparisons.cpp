#include "server/service/analysis/comparisons.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/read_json.h"
#include "core/row/cell.h"
#include "core/row/key.h"
#include "core/table/table_writer.h"
#include "server/service/analysis/kernel_name.h"
#include "server/service/registry/bad_parameter.h"
#include "server/store/analysis/times.h"

namespace tunehub::service {
namespace {

// What a run says about where it was measured; who and when is no part of an environment.
constexpr const char* kMembers[] = {"host",  "gpu",      "driver", "rocm",
                                    "aiter", "compiler", "tuner",  "agent"};
constexpr std::size_t kListedValues = 3;

core::Error BadSide(std::string_view name, std::string_view text) {
  return BadParameter(name, text,
                      "is neither runs (12 or 12,13) nor an environment (rocm:7.0.1,aiter:COMMIT)");
}

// "": a run does not say it.
std::set<std::string> ValuesOf(const std::vector<store::RunRecord>& runs, const char* member) {
  std::set<std::string> values;
  for (const auto& run : runs) {
    const auto provenance = core::ReadJson(run.provenance);
    const bool said =
        provenance.is_object() && provenance.contains(member) && provenance[member].is_string();
    values.insert(said ? provenance[member].get<std::string>() : "");
  }
  return values;
}

// "7.0.1 or 7.1 or unknown and others"
std::string ListOf(const std::set<std::string>& values) {
  std::string text;
  std::size_t listed = 0;
  for (const std::string& value : values) {
    if (listed++ == kListedValues) return text + " and others";
    text += (text.empty() ? "" : " or ") + (value.empty() ? "unknown" : value);
  }
  return text;
}

// What all runs of a side say alike; where they differ, the values, which are then no version.
void AddEnvironment(const std::vector<store::RunRecord>& runs, analysis::Side& side) {
  std::string ids;
  for (const auto& run : runs) ids += fmt::format("{}{}", ids.empty() ? "" : ",", run.id);
  side.environment["runs"] = ids;
  for (const char* member : kMembers) {
    const auto values = ValuesOf(runs, member);
    if (values.size() == 1 && values.begin()->empty()) continue;
    side.environment[member] = ListOf(values);
    const bool version = std::find(analysis::kVersions.begin(), analysis::kVersions.end(),
                                   member) != analysis::kVersions.end();
    if (values.size() > 1 && version) side.mixed = true;
  }
}

analysis::NamedCells ShapeOf(const core::Family& family, const core::Cells& cells) {
  analysis::NamedCells shape;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const core::Column& column = family.columns[i];
    const bool tag = column.role == core::Role::kTag && !cells[i].empty();
    if (column.is_shape() || tag) shape.emplace_back(column.name, cells[i]);
  }
  return shape;
}

bool IsOf(const store::RunTimeRecord& record, const core::Target& target) {
  if (!target.gfx.empty() && target.gfx != record.gfx) return false;
  return target.cu_num == 0 || record.cu_num == 0 || target.cu_num == record.cu_num;
}

}  // namespace

core::Result<SideQuery> ParseSide(std::string_view name, std::string_view text) {
  SideQuery query;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) {
      const auto run = core::ParseInt64(item);
      if (!run || *run < 1) return BadSide(name, text);
      query.runs.push_back(*run);
    } else if (colon == 0 || colon + 1 == item.size()) {
      return BadSide(name, text);
    } else {
      query.environment.emplace_back(item.substr(0, colon), item.substr(colon + 1));
    }
  }
  if (query.runs.empty() == query.environment.empty() || query.runs.size() > kMostRuns) {
    return BadSide(name, text);
  }
  return query;
}

core::Result<std::vector<store::RunRecord>> Comparisons::FindRuns(const SideQuery& query) {
  std::vector<store::RunRecord> runs;
  for (std::int64_t id : query.runs) {
    auto run = store_.runs().Find(id);
    if (!run.ok()) return run.error();
    runs.push_back(*std::move(run));
  }
  if (!query.runs.empty()) return runs;
  nlohmann::json members = nlohmann::json::object();
  std::string text;
  for (const auto& [member, value] : query.environment) {
    members[member] = value;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", member, value);
  }
  runs = store_.runs().FindByProvenance(members.dump(), kMostRuns + 1);
  if (runs.empty()) return core::Error{"no_runs", "no run in force says " + text};
  if (runs.size() <= kMostRuns) return runs;
  return core::Error{
      "too_many_runs",
      fmt::format("more than {} runs say {}: name one more member of the environment", kMostRuns,
                  text)};
}

core::Status Comparisons::AddTimes(const core::Family& family,
                                   const std::vector<std::int64_t>& runs,
                                   const core::Target& target, bool named, analysis::Side& side) {
  const std::int16_t id = definitions_.Id(family);
  std::string scratch, place;
  std::map<std::string, std::size_t> places;  // by target, shape and candidate
  bool many = false;
  const auto add = [&](store::RunTimeRecord& record) {
    if (!IsOf(record, target)) return true;
    const auto version = versions_.Get(id, record.family_version);
    if (version->source != family.source) {
      auto row = Reread(*version, family, definitions_.targets, record.line);
      if (!row) return true;
      record.line = std::move(row->line);
    }
    const core::Cells cells = core::SplitLine(record.line, scratch);
    analysis::CandidateTimes timing;
    timing.target = fmt::format("{}:{}", record.gfx, record.cu_num);
    if (named) timing.target = fmt::format("{} {}", family.name, timing.target);
    timing.shape = ShapeOf(family, cells);
    core::AppendCandidateText(timing.candidate, family, cells);
    timing.kernel = KernelOf(family, cells);
    place = timing.target + "\n" + timing.candidate;
    for (const auto& [column, cell] : timing.shape) place += "\n" + cell;
    const auto [found, fresh] = places.emplace(place, side.timings.size());
    many = fresh && side.timings.size() == kMostCompared;
    if (many) return false;
    if (fresh) side.timings.push_back(std::move(timing));
    const bool timed = record.standing == core::Standing::kMeasured && std::isfinite(record.us);
    if (timed) side.timings[found->second].runs.push_back(record.us);
    return true;
  };
  versions_.Learn(id);
  store_.measurements().VisitRunTimes(id, runs, add);
  if (!many) return core::Ok();
  return core::Error{
      "too_many_compared",
      fmt::format("a side has more than {} candidates on their keys: name a family, a target, or "
                  "fewer runs",
                  kMostCompared)};
}

core::Result<analysis::Side> Comparisons::ReadSide(const SideQuery& query,
                                                   const std::vector<const core::Family*>& families,
                                                   const core::Target& target) {
  const auto runs = FindRuns(query);
  if (!runs.ok()) return runs.error();
  analysis::Side side;
  AddEnvironment(*runs, side);
  std::vector<std::int64_t> ids;
  for (const auto& run : *runs) ids.push_back(run.id);
  for (const core::Family* family : families) {
    const auto added = AddTimes(*family, ids, target, families.size() > 1, side);
    if (!added.ok()) return added.error();
  }
  return side;
}

core::Result<Sides> Comparisons::Read(const SideQuery& base, const SideQuery& head,
                                      const std::vector<const core::Family*>& families,
                                      const core::Target& target) {
  auto first = ReadSide(base, families, target);
  if (!first.ok()) return first.error();
  auto second = ReadSide(head, families, target);
  if (!second.ok()) return second.error();
  return Sides{*std::move(first), *std::move(second)};
}

}  // namespace tunehub::service
