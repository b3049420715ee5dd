#include "server/tables/tuned_options.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/rfc3339.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "server/answers/issues.h"
#include "server/tables/file_rows.h"

namespace tunehub::server {
namespace {

// The longest version in a query.
constexpr std::size_t kMaxVersionBytes = 100;
// The longest name that POST /import accepts.
constexpr std::size_t kMaxSourceBytes = 100;

core::Status AllowIf(bool allowed, std::string_view name, std::string_view value,
                     std::string_view all) {
  return allowed ? core::Ok() : NotAllowed(name, value, all);
}

core::Status ParseProviderName(TunedQuery& query, std::string_view name, std::string_view value) {
  query.provider = ParseProvider(value);
  return AllowIf(query.provider.has_value(), name, value, ProviderNames());
}

core::Status ParseRevision(TunedQuery& query, std::string_view name, std::string_view value) {
  query.revision = core::ParsePin(value);
  return AllowIf(query.revision.has_value(), name, value, kPinForm);
}

core::Status ParseMeasured(TunedQuery& query, std::string_view name, std::string_view value) {
  query.tuned_only = value == "tuned";
  query.measured_only = query.tuned_only || value == "only";
  return AllowIf(query.measured_only || value == "all", name, value, "only, tuned or all");
}

// An option with two possible values.
struct Switch {
  std::string_view name;
  bool TunedQuery::*option;
  std::string_view on, off, allowed;
};
constexpr Switch kSwitches[] = {
    {"columns", &TunedQuery::legacy, "legacy", "current", "legacy or current"},
    {"format", &TunedQuery::json, "json", "csv", "csv or json"},
    {"allow_empty", &TunedQuery::allow_empty, "1", "0", "1 or 0"},
    {"prune", &TunedQuery::prune, "padded", "none", "padded or none"},
    {"fill", &TunedQuery::fill, "heuristic", "none", "heuristic or none"}};

core::Status ParseSwitch(TunedQuery& query, std::string_view name, std::string_view value) {
  const Switch& it = *std::ranges::find(kSwitches, name, &Switch::name);
  query.*it.option = value == it.on;
  return AllowIf(value == it.on || value == it.off, name, value, it.allowed);
}

core::Status ParseModelName(TunedQuery& query, std::string_view name, std::string_view value) {
  query.model = value;
  return AllowIf(!value.empty(), name, value, "a model of configs/models");
}

core::Status ParseTp(TunedQuery& query, std::string_view name, std::string_view value) {
  query.tp = core::ParseInt64(value).value_or(0);
  return AllowIf(query.tp >= 1 && query.tp <= kMaxTp, name, value, fmt::format("1..{}", kMaxTp));
}

core::Status ParseRequire(TunedQuery& query, std::string_view name, std::string_view value) {
  query.require = value == "exact" ? Require::kExact : Require::kPadded;
  return AllowIf(value == "exact" || value == "padded", name, value, "padded or exact");
}

core::Status ParseLibtype(TunedQuery& query, std::string_view name, std::string_view value) {
  for (const std::string_view libtype : core::SplitAt(value, ",")) {
    if (!libtype.empty()) query.libtypes.emplace_back(libtype);
  }
  return AllowIf(!query.libtypes.empty(), name, value, "a list such as ck,asm");
}

core::Status ParseBuild(TunedQuery& query, std::string_view, std::string_view value) {
  auto build = ParseBuildName(value);
  if (!build.ok()) return build.error();
  query.build = *std::move(build);
  return core::Ok();
}

// A version to compare with a run's. It is free text, so only its length can be wrong.
core::Status ParseVersion(ProvenanceFilter& runs, const AskedVersion& version,
                          std::string_view name, std::string_view value) {
  runs.*version.asked = value;
  return AllowIf(!value.empty() && value.size() <= kMaxVersionBytes, name, value,
                 fmt::format("a version of 1 to {} bytes", kMaxVersionBytes));
}

core::Status ParseAsked(TunedQuery& query, std::string_view name, std::string_view value) {
  const auto* const version = std::ranges::find(kAskedVersions, name, &AskedVersion::member);
  return ParseVersion(query.runs, *version, name, value);
}

// Stores the names; SettleDevices resolves them later, because their meaning depends on the family.
core::Status ParseDevice(TunedQuery& query, std::string_view name, std::string_view value) {
  query.runs.devices.emplace_back(value);
  return AllowIf(value.size() <= kMaxVersionBytes, name, value,
                 fmt::format("a name of at most {} bytes", kMaxVersionBytes));
}

core::Status ParsePreferred(TunedQuery& query, std::string_view name, std::string_view value) {
  const std::string_view member = value.substr(0, value.find('='));
  const std::string_view wanted =
      member.size() == value.size() ? "" : value.substr(member.size() + 1);
  if (member == "device" && !wanted.empty()) {
    query.preferred.devices.emplace_back(wanted);
    return core::Ok();
  }
  const auto* const version = std::ranges::find(kAskedVersions, member, &AskedVersion::member);
  if (version != std::end(kAskedVersions))
    return ParseVersion(query.preferred, *version, name, wanted);
  return NotAllowed(
      name, value,
      "NAME=VALUE, where NAME is one of rocm, aiter, triton, pytorch, engine and device");
}

core::Status ParseSince(TunedQuery& query, std::string_view name, std::string_view value) {
  constexpr std::size_t kDateBytes = 10;
  const bool date = value.size() == kDateBytes;
  query.runs.since = core::Rfc3339Microseconds(std::string(value) + (date ? "T00:00:00Z" : ""));
  return AllowIf(query.runs.since.has_value(), name, value,
                 "a date or a time such as 2026-01-31T12:00:00Z");
}

core::Status ParseMaxErr(TunedQuery& query, std::string_view, std::string_view value) {
  query.max_err = core::ParseNumber(value);
  if (query.max_err && *query.max_err >= 0 && *query.max_err <= 1) return core::Ok();
  return core::Error{"bad_max_err", fmt::format("max_err: '{}': expected a number from 0 to 1",
                                                core::Excerpt(value))};
}

core::Status ParseSource(TunedQuery& query, std::string_view name, std::string_view value) {
  query.source = value;
  return AllowIf(!value.empty() && value.size() <= kMaxSourceBytes, name, value,
                 fmt::format("the name of an import, 1 to {} bytes", kMaxSourceBytes));
}

static_assert(std::size(kAskedVersions) == 5, "each is an option below");
constexpr TunedOption kOptions[] = {
    {"provider", ParseProviderName},
    {"revision", ParseRevision},
    {"measured", ParseMeasured},
    {"columns", ParseSwitch},
    {"format", ParseSwitch},
    {"allow_empty", ParseSwitch},
    {"libtype", ParseLibtype, true},
    {"prune", ParseSwitch},
    {"model", ParseModelName},
    {"tp", ParseTp},
    {"require", ParseRequire},
    {"build", ParseBuild},
    {"rocm", ParseAsked, false, true},
    {"aiter", ParseAsked, false, true},
    {"triton", ParseAsked, false, true},
    {"pytorch", ParseAsked, false, true},
    {"engine", ParseAsked, false, true},
    {"device", ParseDevice, true},
    {"prefer", ParsePreferred, true},
    {"since", ParseSince},
    {"source", ParseSource},
    {"fill", ParseSwitch},
    {"max_err", ParseMaxErr},
};

void SortUnique(std::vector<std::string>& texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

core::Error Refused(std::string detail) {
  return {"bad_parameter", std::move(detail)};
}

// Refuses options that depend on changing data, because a revision's bytes must not change.
core::Status CheckRevision(const TunedQuery& query) {
  if (!query.revision) return core::Ok();
  if (query.among_candidates() || !query.model.empty()) {
    return Refused(
        "with revision, use only row filters. Leave out libtype, max_err, source, device, prefer, "
        "since and versions (rocm, aiter, triton, pytorch, engine), which choose among candidates, "
        "and model: their answers can change without a new revision");
  }
  if (!query.build || query.build->pinned()) return core::Ok();
  return Refused(fmt::format(
      "with revision, pass build=NAME@SHA256; '{}' alone names another manifest after a new upload",
      query.build->name));
}

// Writes each text's length before the text. A separator alone is not enough, because a text may
// contain it.
std::string Joined(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) {
    joined.append(std::to_string(part.size())).append(":").append(part);
  }
  return joined;
}

// Sorts the filters and adds their values to `parts`.
void AddColumns(TunedQuery& query, std::vector<std::string>& parts) {
  std::ranges::sort(query.columns, {}, &ColumnFilter::column);
  for (ColumnFilter& filter : query.columns) {
    SortUnique(filter.values);
    for (const std::string& value : filter.values) {
      parts.push_back(fmt::format("c{}={}", filter.column, value));
    }
  }
}

// `sign` distinguishes required runs from preferred runs.
void AddRuns(ProvenanceFilter& runs, std::string_view sign, std::vector<std::string>& parts) {
  for (const AskedVersion& version : kAskedVersions) {
    const std::string& asked = runs.*version.asked;
    if (!asked.empty()) parts.push_back(fmt::format("{}{}={}", sign, version.member, asked));
  }
  SortUnique(runs.devices);
  for (const std::string& device : runs.devices)
    parts.push_back(fmt::format("{}device={}", sign, device));
  if (runs.since) parts.push_back(fmt::format("{}since={}", sign, *runs.since));
}

}  // namespace

std::span<const TunedOption> TunedOptions() {
  return kOptions;
}

core::Status CheckTogether(const TunedQuery& query, const core::Family& family) {
  if (core::Status status = CheckRevision(query); !status.ok()) return status;
  if (!query.libtypes.empty() && family.libtype == core::kNoColumn) {
    return Refused(fmt::format("libtype: {} has no column libtype", family.name));
  }
  if (query.model.empty() != (query.tp == 0)) {
    return Refused("pass model and tp together");
  }
  if (query.fill && query.measured_only) {
    return Refused(
        "fill adds rows without a time, so it cannot be combined with measured=only and "
        "measured=tuned");
  }
  if (query.require == Require::kNothing && !query.fill) return core::Ok();
  const std::string name = query.fill ? "fill" : "require";
  if (query.model.empty()) {
    return Refused(name + ": pass model and tp, too, which give the shapes");
  }
  const bool whole = std::ranges::all_of(query.targets, [&](const auto& it) {
    return !it.gfx.empty() && (it.cu_num > 0 || family.cu_num == core::kNoColumn);
  });
  if (whole && !query.targets.empty()) return core::Ok();
  return Refused(name + ": pass targets with a CU count, such as target=gfx942:304");
}

std::string CanonicalText(TunedQuery& query) {
  std::vector<std::string> parts;
  for (const core::Target& target : query.targets) parts.push_back("t=" + TextOf(target));
  SortUnique(parts);
  if (query.provider) parts.push_back(fmt::format("p={}", Name(*query.provider)));
  if (query.revision) parts.push_back("r=" + query.revision->Text());
  if (!query.asked.empty()) parts.push_back("a=" + query.asked);
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

}  // namespace tunehub::server
