#include "server/service/tables/tuned_query_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "server/service/files/file_form.h"

namespace tunehub::service {
namespace {

void SortUnique(std::vector<std::string>& texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

// A pinned revision has nothing that moves.
core::Status CheckRevision(const TunedQuery& query) {
  if (!query.revision) return core::Ok();
  if (query.among_candidates() || !query.model.empty()) {
    return core::Error{
        "bad_parameter",
        "revision goes with row filters only: libtype, max_err, source, device, prefer, since and "
        "versions "
        "(rocm, aiter, triton, pytorch, engine) choose among candidates, whose measurements grow "
        "without a new revision, and a model's file may change"};
  }
  if (!query.build || query.build->pinned()) return core::Ok();
  return core::Error{
      "bad_parameter",
      fmt::format(
          "revision goes with build=NAME@SHA256 only: '{}' means another manifest once one is put",
          query.build->name)};
}

// By their lengths: no separator that a text might hold.
std::string Joined(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) {
    joined.append(std::to_string(part.size())).append(":").append(part);
  }
  return joined;
}

// Sorts the filters, and adds a part for each value.
void AddColumns(TunedQuery& query, std::vector<std::string>& parts) {
  const auto by_column = [](const auto& a, const auto& b) { return a.column < b.column; };
  std::sort(query.columns.begin(), query.columns.end(), by_column);
  for (ColumnFilter& filter : query.columns) {
    SortUnique(filter.values);
    for (const std::string& value : filter.values) {
      parts.push_back(fmt::format("c{}={}", filter.column, value));
    }
  }
}

// `sign` tells what is demanded from what is preferred.
void AddRuns(registry::ProvenanceFilter& runs, std::string_view sign,
             std::vector<std::string>& parts) {
  for (const registry::AskedVersion& version : registry::kAskedVersions) {
    const std::string& asked = runs.*version.asked;
    if (!asked.empty()) parts.push_back(fmt::format("{}{}={}", sign, version.member, asked));
  }
  SortUnique(runs.devices);
  for (const std::string& device : runs.devices)
    parts.push_back(fmt::format("{}device={}", sign, device));
  if (runs.since) parts.push_back(fmt::format("{}since={}", sign, *runs.since));
}

}  // namespace

core::Status CheckTogether(const TunedQuery& query, const core::Family& family) {
  if (core::Status status = CheckRevision(query); !status.ok()) return status;
  if (!query.libtypes.empty() && family.libtype == core::kNoColumn) {
    return core::Error{"bad_parameter", fmt::format("libtype: {} has no such column", family.name)};
  }
  if (query.model.empty() != (query.tp == 0)) {
    return core::Error{"bad_parameter", "model and tp go together"};
  }
  if (query.fill && query.measured_only) {
    return core::Error{"bad_parameter",
                       "fill: its rows are not measured, so not with measured=only or tuned"};
  }
  if (query.require == Require::kNothing && !query.fill) return core::Ok();
  const std::string name = query.fill ? "fill" : "require";
  if (query.model.empty()) {
    return core::Error{"bad_parameter", name + ": needs model and tp: of what is asked for"};
  }
  const bool whole = !query.targets.empty() &&
                     std::all_of(query.targets.begin(), query.targets.end(), [&](const auto& it) {
                       return !it.gfx.empty() && (it.cu_num || family.cu_num == core::kNoColumn);
                     });
  if (whole) return core::Ok();
  return core::Error{"bad_parameter",
                     name + ": needs targets with a CU count, such as target=gfx942:304"};
}

std::string CanonicalText(TunedQuery& query) {
  std::vector<std::string> parts;
  for (const TargetFilter& target : query.targets) parts.push_back("t=" + target.Text());
  SortUnique(parts);
  if (query.provider) parts.push_back(fmt::format("p={}", registry::Name(*query.provider)));
  if (query.revision) parts.push_back("r=" + query.revision->Text());
  if (query.measured_only) parts.push_back(query.tuned_only ? "mt" : "m");
  if (query.legacy) parts.push_back("l");
  if (query.json) parts.push_back("j");
  if (query.prune) parts.push_back("u");
  if (query.fill) parts.push_back("f");
  if (!query.model.empty()) parts.push_back(fmt::format("o={} {}", query.tp, query.model));
  if (query.require != Require::kNothing) {
    parts.push_back(fmt::format("q={}", static_cast<int>(query.require)));
  }
  SortUnique(query.libtypes);
  for (const std::string& libtype : query.libtypes) parts.push_back("b=" + libtype);
  if (query.form) parts.push_back("F=" + query.form->Text());
  if (query.build) parts.push_back("u=" + query.build->Text());
  AddRuns(query.runs, "R", parts);
  AddRuns(query.preferred, "P", parts);
  if (query.max_err) parts.push_back(fmt::format("e={}", *query.max_err));
  if (!query.source.empty()) parts.push_back("s=" + query.source);
  AddColumns(query, parts);
  return Joined(parts);
}

}  // namespace tunehub::service
