#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/family/family.h"
#include "core/family/family_misses.h"
#include "core/family/lookup_kinds.h"

namespace tunehub::core {
namespace {

constexpr std::array<std::string_view, 3> kDispatches = {"direct", "compiled_table",
                                                         "name_registry"};

Dispatch ParseDispatch(JsonObject& json) {
  const std::string text = json.Text("dispatch", kDispatches[0]);
  const auto found = std::ranges::find(kDispatches, text);
  if (found != kDispatches.end()) return static_cast<Dispatch>(found - kDispatches.begin());
  json.Fail("dispatch", "must be direct, compiled_table or name_registry");
  return Dispatch::kDirect;
}

KernelAlias ParseAlias(JsonObject& json) {
  KernelAlias alias{json.Text("prefix", ""), json.Text("stands_for", ""), json.Text("suffix", "")};
  if (alias.prefix.empty() == alias.suffix.empty()) json.Fail("", "needs a prefix or a suffix");
  if (alias.prefix.empty() != alias.stands_for.empty()) {
    json.Fail("stands_for", "must be given with a prefix, and only then");
  }
  json.Finish();
  return alias;
}

// True if an earlier module accepts every row that `module` could accept.
bool IsTaken(const Family& family, const Module& module) {
  return std::ranges::any_of(family.modules, [&](const Module& earlier) {
    return earlier.kernels.empty() &&
           (earlier.libtypes.empty() || earlier.libtypes == module.libtypes);
  });
}

Module ParseModule(JsonObject& json, const Family& family) {
  Module module;
  module.name = json.Text("name");
  if (!IsModuleName(module.name)) json.Fail("name", "must be a word of a-z, 0-9 and _");
  module.library = json.Text("library", "module_" + module.name);
  module.dispatch = ParseDispatch(json);
  module.libtypes = json.Texts("libtypes");
  module.kernels = json.Texts("kernels");
  module.candidates = json.Texts("candidates");
  module.present = json.Text("present", "");
  const std::string resolved = json.Text("resolved_by", "name");
  module.by_id = resolved == "id";
  if (!module.by_id && resolved != "name") json.Fail("resolved_by", "must be name or id");
  if (module.by_id && family.kernel_id == kNoColumn) {
    json.Fail("resolved_by", "\"id\" needs an integer column with identity unnamed");
  }
  if (!module.libtypes.empty() && family.libtype == kNoColumn) {
    json.Fail("libtypes", "needs the column libtype");
  }
  for (JsonObject& alias : json.OptionalObjects("aliases")) {
    module.aliases.push_back(ParseAlias(alias));
  }
  if (IsTaken(family, module))
    json.Fail("", "an earlier module already accepts all rows of this module");
  json.Finish();
  return module;
}

void ParseModules(JsonObject& json, Family& family) {
  for (JsonObject& object : json.OptionalObjects("modules")) {
    family.modules.push_back(ParseModule(object, family));
  }
  if (!family.modules.empty() && family.kernel_columns.empty()) {
    json.Fail("modules", "needs a column of type kernel");
  }
}

constexpr std::array<std::string_view, 3> kFormulas = {"gemm", "fmoe", "none"};

std::string Choice(JsonObject& json, const std::string& member,
                   std::span<const std::string_view> allowed) {
  std::string text = json.Text(member);
  if (std::ranges::find(allowed, text) != allowed.end()) return text;
  json.Fail(member, fmt::format("must be one of {}", fmt::join(allowed, ", ")));
  return std::string(allowed.back());
}

// Returns the column that a member names; kNoColumn if an optional member is absent.
std::size_t ColumnOf(JsonObject& json, const std::string& member, const Family& family) {
  if (!json.Has(member)) return kNoColumn;
  const std::string name = json.Text(member);
  const std::size_t index = family.Find(name);
  if (index == kNoColumn) {
    json.Fail(member, fmt::format("unknown column of this family: \"{}\"", name));
  }
  return index;
}

std::size_t RequiredIntegerColumn(JsonObject& json, const std::string& member,
                                  const Family& family) {
  const std::size_t index = ColumnOf(json, member, family);
  if (!json.Has(member)) {
    json.Fail(member, "is missing");
  } else if (index != kNoColumn && family.columns[index].type != Type::kInteger) {
    json.Fail(member, "must name a column of type integer");
  }
  return index;
}

std::vector<std::string> ColumnNames(JsonObject& json, const std::string& member,
                                     const Family& family) {
  std::vector<std::string> names = json.Texts(member);
  for (const std::string& name : names) {
    if (family.Find(name) == kNoColumn) {
      json.Fail(member, fmt::format("unknown column of this family: \"{}\"", name));
    }
  }
  return names;
}

std::vector<std::size_t> KeyColumns(JsonObject& json, const std::string& member,
                                    const Family& family) {
  std::vector<std::size_t> columns;
  for (const std::string& name : ColumnNames(json, member, family)) {
    const std::size_t index = family.Find(name);
    if (index == kNoColumn) continue;
    if (!family.columns[index].is_key() || index == family.lookup.m) {
      json.Fail(
          member,
          fmt::format("\"{}\": expected a shape column, but not the column that is padded", name));
    }
    columns.push_back(index);
  }
  return columns;
}

void ParseMetric(JsonObject json, Family& family) {
  Metric& metric = family.metric;
  metric.formula = Choice(json, "formula", kFormulas);
  if (metric.formula == "gemm") {
    metric.m = RequiredIntegerColumn(json, "m", family);
    metric.n = RequiredIntegerColumn(json, "n", family);
    metric.k = RequiredIntegerColumn(json, "k", family);
    metric.batch = ColumnOf(json, "batch", family);
    metric.bytes = json.Numbers("bytes");
    if (metric.bytes.size() != 3) json.Fail("bytes", "must be three numbers: A, B, output");
  } else if (metric.formula == "fmoe") {
    for (const std::string_view name : kFmoeColumns) {
      if (family.Find(name) == kNoColumn) {
        json.Fail("formula", fmt::format("fmoe needs the column {}", name));
      }
    }
  }
  metric.precision = json.Text("precision", "");
  metric.precision_column = ColumnOf(json, "precision_column", family);
  if (!metric.precision.empty() && metric.precision_column != kNoColumn) {
    json.Fail("precision", "cannot be given with precision_column");
  }
  json.Finish();
}

void ParseBounds(JsonObject& json, Family& family) {
  Lookup& lookup = family.lookup;
  lookup.bounds = json.Ascending("bounds");
  lookup.op = ColumnOf(json, "op", family);
  if (json.Has("own_bounds")) {
    JsonObject own = json.Object("own_bounds");
    for (const std::string& op : own.MemberNames()) lookup.own_bounds[op] = own.Ascending(op);
    own.Finish();
  }
  const bool bounded = lookup.kind == "smallest_bound";
  if (bounded == lookup.bounds.empty()) {
    json.Fail("bounds", bounded
                            ? "must list the lookup's bounds"
                            : fmt::format("is not allowed for a lookup of kind {}", lookup.kind));
  }
  if (lookup.op == kNoColumn && !lookup.own_bounds.empty()) {
    json.Fail("own_bounds", "needs \"op\"");
  }
}

// The member is required, because without it the lookup would use -1.
std::vector<std::int64_t> AddedToTopk(JsonObject& rule, const std::string& member) {
  if (!rule.Has(member)) rule.Fail(member, "is missing");
  std::vector<std::int64_t> all;
  for (const double it : rule.Numbers(member)) {
    all.push_back(static_cast<std::int64_t>(it));
    if (static_cast<double>(all.back()) != it) rule.Fail(member, "must contain only integers");
  }
  return all;
}

void ParseEp(JsonObject& json, Family& family) {
  if (!json.Has("ep")) return;
  if (family.Find("topk") == kNoColumn) json.Fail("ep", "needs the column topk");
  for (JsonObject& rule : json.Objects("ep")) {
    EpRule& ep = family.lookup.ep.emplace_back();
    ep.engine = rule.Text("engine", "");
    ep.aiter_from = rule.Text("aiter_from", "");
    ep.routed = AddedToTopk(rule, "routed");
    ep.fused = AddedToTopk(rule, "fused");
    rule.Text("source", "");
    rule.Finish();
  }
}

// {"M": 256, "K": 128}
void ParseTiles(JsonObject& json, Family& family) {
  Lookup& lookup = family.lookup;
  if (json.Has("tiles")) {
    JsonObject tiles = json.Object("tiles");
    for (const std::string& name : tiles.MemberNames()) {
      const std::size_t column = family.Find(name);
      lookup.tiles.push_back({column, tiles.Integer(name, 1)});
      const bool integer = column != kNoColumn && family.columns[column].is_shape() &&
                           family.columns[column].type == Type::kInteger;
      if (!integer) tiles.Fail(name, "expected an integer column of the shape");
      if (lookup.tiles.back().tile < 1) tiles.Fail(name, "must be above 0");
    }
    tiles.Finish();
  }
  if ((lookup.kind == "tiles") == lookup.tiles.empty()) {
    json.Fail("tiles", "must be given for a lookup of kind tiles, and only then");
  }
}

// Parses which lookups happen, and the libtypes whose rows they accept.
void ParseLimits(JsonObject& json, Family& family) {
  Lookup& lookup = family.lookup;
  lookup.only_gfx = json.Texts("only_gfx");
  lookup.most_m = json.Integer("most_m", 0);
  if (lookup.most_m < 0 || (lookup.most_m > 0 && lookup.m == kNoColumn)) {
    json.Fail("most_m", "must be above 0, and needs \"m\"");
  }
  lookup.exact_libtypes = json.Texts("exact_libtypes");
  if (!lookup.exact_libtypes.empty() && family.libtype == kNoColumn) {
    json.Fail("exact_libtypes", "needs the column libtype");
  }
}

void ParseM(JsonObject& json, Family& family) {
  const LookupColumn m = LookupKindOf(family.lookup.kind).m;
  family.lookup.m = m == LookupColumn::kInteger ? RequiredIntegerColumn(json, "m", family)
                                                : ColumnOf(json, "m", family);
  if (m == LookupColumn::kBucket && family.lookup.m == kNoColumn) json.Fail("m", "is missing");
  if (m == LookupColumn::kNone && json.Has("m")) {
    json.Fail("m", fmt::format("is not allowed for a lookup of kind {}", family.lookup.kind));
  }
}

void ParseLookup(JsonObject json, Family& family) {
  std::array<std::string_view, kLookupKinds.size()> names;
  std::ranges::transform(kLookupKinds, names.begin(), &LookupKind::name);
  family.lookup.kind = Choice(json, "kind", names);
  ParseM(json, family);
  // The grid gl1 depends on N.
  if (family.lookup.kind == "padded_m" && family.metric.n == kNoColumn) {
    json.Fail("kind", "padded_m needs a metric with the member n");
  }
  Lookup& lookup = family.lookup;
  lookup.ignored = KeyColumns(json, "ignored", family);
  lookup.skipped_tags = json.Texts("skipped_tags");
  lookup.last_tier_falls_back = json.Boolean("last_tier_falls_back", false);
  lookup.empty_matches = json.Boolean("empty_matches", false);
  lookup.compiled_pow2 = json.Boolean("compiled_pow2", false);
  lookup.compiled_without = KeyColumns(json, "compiled_without", family);
  ParseTiles(json, family);
  ParseLimits(json, family);
  ParseBounds(json, family);
  ParseEp(json, family);
  json.Finish();
}

void ParseSignature(JsonObject json, Family& family) {
  Signature& signature = family.signature;
  signature.has = ColumnNames(json, "has", family);
  if (signature.has.empty()) json.Fail("has", "must name at least one column");
  signature.lacks = json.Texts("lacks");
  for (const std::string& name : signature.lacks) {
    const std::size_t index = family.Find(name);
    if (index != kNoColumn && family.columns[index].missing.empty()) {
      json.Fail("lacks", fmt::format("every file of this family has the column \"{}\"", name));
    }
  }
  signature.kernel_prefixes = json.Texts("kernel_prefixes");
  signature.by_kernels = json.Boolean("by_kernels", false);
  json.Finish();
}

void ParseHeatMap(JsonObject json, Family& family) {
  const std::size_t x = ColumnOf(json, "x", family);
  if (x != kNoColumn) family.heat_map.x = family.columns[x].name;
  family.heat_map.y = ColumnNames(json, "y", family);
  if (x == kNoColumn || family.heat_map.y.empty()) json.Fail("", "must name x and y");
  json.Finish();
}

}  // namespace

bool IsModuleName(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void ParseSections(JsonObject& json, Family& family) {
  family.untuned_columns = ColumnNames(json, "untuned_columns", family);
  ParseMetric(json.Object("metric"), family);
  ParseLookup(json.Object("lookup"), family);
  ParseSignature(json.Object("signature"), family);
  ParseHeatMap(json.Object("heat_map"), family);
  for (const std::string& name : ColumnNames(json, "table_test", family)) {
    family.table_test.push_back(family.Find(name));
  }
  ParseMisses(json, family);
  ParseModules(json, family);
  ParseProducts(json, family);
}

}  // namespace tunehub::core
