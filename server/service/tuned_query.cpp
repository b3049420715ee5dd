#include "server/service/tuned_query.h"

#include <algorithm>
#include <charconv>

#include "core/cell.h"
#include "server/service/rfc3339.h"

namespace tunehub::service {
namespace {

// Of a library's version in a query.
constexpr std::size_t kMaxVersionBytes = 100;

core::Error Bad(std::string_view name, std::string_view value, std::string_view allowed) {
  return {"bad_parameter", std::string(name) + ": '" + std::string(core::Excerpt(value)) +
                               "' is not allowed, only " + std::string(allowed)};
}

core::Status ParseProviderName(TunedQuery& query, std::string_view value) {
  query.provider = registry::ParseProvider(value);
  if (!query.provider) return Bad("provider", value, "aiter or tunehub");
  return core::Ok();
}

core::Status ParseRevision(TunedQuery& query, std::string_view value) {
  std::int64_t revision = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), revision);
  if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size() || revision < 0) {
    return Bad("revision", value, "a number from 0 on");
  }
  query.revision = revision;
  return core::Ok();
}

core::Status ParseMeasured(TunedQuery& query, std::string_view value) {
  query.measured_only = value == "only";
  return query.measured_only || value == "all" ? core::Ok() : Bad("measured", value, "only or all");
}

core::Status ParseColumns(TunedQuery& query, std::string_view value) {
  query.legacy = value == "legacy";
  return query.legacy || value == "current" ? core::Ok()
                                            : Bad("columns", value, "legacy or current");
}

core::Status ParseFormat(TunedQuery& query, std::string_view value) {
  query.json = value == "json";
  return query.json || value == "csv" ? core::Ok() : Bad("format", value, "csv or json");
}

core::Status ParseAllowEmpty(TunedQuery& query, std::string_view value) {
  query.allow_empty = value == "1";
  return query.allow_empty || value == "0" ? core::Ok() : Bad("allow_empty", value, "1 or 0");
}

core::Status ParsePrune(TunedQuery& query, std::string_view value) {
  query.prune = value == "padded";
  return query.prune || value == "none" ? core::Ok() : Bad("prune", value, "padded or none");
}

core::Status ParseModelName(TunedQuery& query, std::string_view value) {
  query.model = value;
  return value.empty() ? Bad("model", value, "a model of configs/models") : core::Ok();
}

core::Status ParseTp(TunedQuery& query, std::string_view value) {
  constexpr std::int64_t kMaxTp = 1024;
  query.tp = core::ParseInt64(value).value_or(0);
  return query.tp >= 1 && query.tp <= kMaxTp ? core::Ok() : Bad("tp", value, "1..1024");
}

core::Status ParseRequire(TunedQuery& query, std::string_view value) {
  query.require = value == "exact" ? Require::kExact : Require::kPadded;
  return value == "exact" || value == "padded" ? core::Ok()
                                               : Bad("require", value, "padded or exact");
}

core::Status ParseFill(TunedQuery& query, std::string_view value) {
  query.fill = value == "heuristic";
  return query.fill || value == "none" ? core::Ok() : Bad("fill", value, "heuristic or none");
}

core::Status ParseLibtype(TunedQuery& query, std::string_view value) {
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    if (end > begin) query.libtypes.emplace_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return query.libtypes.empty() ? Bad("libtype", value, "a list such as ck,asm") : core::Ok();
}

core::Status ParseBuild(TunedQuery& query, std::string_view value) {
  auto build = ParseBuildName(value);
  if (!build.ok()) return build.error();
  query.build = *std::move(build);
  return core::Ok();
}

// Free text of the run that is compared, never run: its length is all that can be wrong with it.
core::Status ParseVersion(std::string& version, std::string_view name, std::string_view value) {
  version = value;
  return !value.empty() && value.size() <= kMaxVersionBytes
             ? core::Ok()
             : Bad(name, value, "a version of 1 to " + std::to_string(kMaxVersionBytes) + " bytes");
}

core::Status ParseRocm(TunedQuery& query, std::string_view value) {
  return ParseVersion(query.runs.rocm, "rocm", value);
}

core::Status ParseAiter(TunedQuery& query, std::string_view value) {
  return ParseVersion(query.runs.aiter, "aiter", value);
}

core::Status ParseSince(TunedQuery& query, std::string_view value) {
  constexpr std::size_t kDateBytes = 10;
  const bool date = value.size() == kDateBytes;
  query.runs.since = Rfc3339Microseconds(std::string(value) + (date ? "T00:00:00Z" : ""));
  return query.runs.since ? core::Ok()
                          : Bad("since", value, "a date or a time such as 2026-01-31T12:00:00Z");
}

struct Option {
  std::string_view name;
  core::Status (*parse)(TunedQuery&, std::string_view);
};

constexpr Option kOptions[] = {
    {"provider", ParseProviderName},
    {"revision", ParseRevision},
    {"measured", ParseMeasured},
    {"columns", ParseColumns},
    {"format", ParseFormat},
    {"allow_empty", ParseAllowEmpty},
    {"libtype", ParseLibtype},
    {"prune", ParsePrune},
    {"model", ParseModelName},
    {"tp", ParseTp},
    {"require", ParseRequire},
    {"build", ParseBuild},
    {"rocm", ParseRocm},
    {"aiter", ParseAiter},
    {"since", ParseSince},
    {"fill", ParseFill},
};

core::Error Unknown(const core::Family& family, std::string_view name) {
  std::string allowed = "gfx, cu_num, target, gpu_archs";
  for (const Option& option : kOptions) allowed += ", " + std::string(option.name);
  for (std::size_t i : family.key_columns) {
    if (family.columns[i].role != core::Role::kTarget) allowed += ", " + family.columns[i].name;
  }
  return {"unknown_parameter", "'" + std::string(core::Excerpt(name)) + "' is no parameter of " +
                                   family.name + "; its parameters are " + allowed};
}

core::Status ParseColumn(TunedQuery& query, const core::Family& family, std::string_view name,
                         std::string_view value) {
  const std::size_t column = family.Find(name);
  if (column == core::kNoColumn || !family.columns[column].is_key()) return Unknown(family, name);
  core::Scratch scratch;
  const auto cell = core::CanonicalCell(family.columns[column], value, scratch);
  if (!cell.ok()) {
    return core::Error{"bad_parameter", std::string(name) + ": " + cell.error().detail};
  }
  const auto filter = std::find_if(query.columns.begin(), query.columns.end(),
                                   [&](const ColumnFilter& it) { return it.column == column; });
  if (filter != query.columns.end())
    filter->values.emplace_back(*cell);
  else
    query.columns.push_back({column, {std::string(*cell)}});
  return core::Ok();
}

void SortUnique(std::vector<std::string>& texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

// One text per set of equal requests. What only changes the answer's headers is left out.
std::string Canonical(TunedQuery& query) {
  const auto by_column = [](const auto& a, const auto& b) { return a.column < b.column; };
  std::sort(query.columns.begin(), query.columns.end(), by_column);
  std::vector<std::string> parts;
  for (const TargetFilter& target : query.targets) parts.push_back("t=" + target.Text());
  SortUnique(parts);
  if (query.provider) parts.push_back("p=" + std::string(registry::Name(*query.provider)));
  if (query.revision) parts.push_back("r=" + std::to_string(*query.revision));
  if (query.measured_only) parts.push_back("m");
  if (query.legacy) parts.push_back("l");
  if (query.json) parts.push_back("j");
  if (query.prune) parts.push_back("u");
  if (query.fill) parts.push_back("f");
  if (!query.model.empty()) parts.push_back("o=" + std::to_string(query.tp) + " " + query.model);
  if (query.require != Require::kNothing) {
    parts.push_back("q=" + std::to_string(static_cast<int>(query.require)));
  }
  SortUnique(query.libtypes);
  for (const std::string& libtype : query.libtypes) parts.push_back("b=" + libtype);
  if (query.build) parts.push_back("u=" + query.build->Text());
  if (!query.runs.rocm.empty()) parts.push_back("R=" + query.runs.rocm);
  if (!query.runs.aiter.empty()) parts.push_back("A=" + query.runs.aiter);
  if (query.runs.since) parts.push_back("S=" + std::to_string(*query.runs.since));
  for (ColumnFilter& filter : query.columns) {
    SortUnique(filter.values);
    for (const std::string& value : filter.values) {
      parts.push_back("c" + std::to_string(filter.column) + "=" + value);
    }
  }
  std::string canonical;
  for (const std::string& part : parts) canonical.append(part).push_back('\x1f');
  return canonical;
}

// A pinned revision has nothing that moves.
core::Status CheckRevision(const TunedQuery& query) {
  if (!query.revision) return core::Ok();
  if (query.among_candidates() || !query.model.empty()) {
    return core::Error{"bad_parameter",
                       "revision goes with row filters only: libtype, rocm, aiter and since choose "
                       "among candidates, whose measurements grow without a new revision, and a "
                       "model's file may change"};
  }
  if (!query.build || query.build->pinned()) return core::Ok();
  return core::Error{"bad_parameter", "revision goes with build=NAME@SHA256 only: '" +
                                          query.build->name +
                                          "' means another manifest once one is put"};
}

// What goes with what.
core::Status CheckTogether(const TunedQuery& query, const core::Family& family) {
  if (core::Status status = CheckRevision(query); !status.ok()) return status;
  if (!query.libtypes.empty() && family.libtype == core::kNoColumn) {
    return core::Error{"bad_parameter", "libtype: " + family.name + " has no such column"};
  }
  if (query.model.empty() != (query.tp == 0)) {
    return core::Error{"bad_parameter", "model and tp go together"};
  }
  if (query.fill && query.measured_only) {
    return core::Error{"bad_parameter",
                       "fill: its rows are not measured, so not with measured=only"};
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

}  // namespace

core::Result<TunedQuery> ParseTunedQuery(const core::Family& family, const core::Targets& targets,
                                         const Parameters& parameters) {
  TunedQuery query;
  Parameters rest = parameters;
  auto filters = ParseTargets(targets, rest);
  if (!filters.ok()) return filters.error();
  query.targets = *std::move(filters);
  for (const auto& [name, value] : rest) {
    const auto option = std::find_if(std::begin(kOptions), std::end(kOptions),
                                     [&](const Option& it) { return it.name == name; });
    // Where an option comes twice, nobody knows which is meant; libtype is a list.
    const auto same = [&name = name](const auto& it) { return it.first == name; };
    if (option != std::end(kOptions) && option->parse != ParseLibtype &&
        std::count_if(rest.begin(), rest.end(), same) > 1) {
      return core::Error{"bad_parameter", std::string(name) + ": comes twice"};
    }
    const core::Status status = option != std::end(kOptions)
                                    ? option->parse(query, value)
                                    : ParseColumn(query, family, name, value);
    if (!status.ok()) return status.error();
  }
  if (const auto status = CheckTogether(query, family); !status.ok()) return status.error();
  query.canonical = Canonical(query);
  return query;
}

}  // namespace tunehub::service
