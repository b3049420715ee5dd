#include "core/family/family.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include "core/base/text.h"
#include "core/family/lookup_kinds.h"

namespace tunehub::core {

std::vector<std::int64_t> Lookup::BoundsOf(std::string_view op_name,
                                           std::string_view of_file) const {
  const auto own = own_bounds.find(op_name);
  if (own != own_bounds.end()) return own->second;
  const auto in_file = ParseBounds(of_file);
  return in_file.empty() ? bounds : in_file;
}

bool Lookup::AsksFor(std::string_view op_name, std::string_view bucket,
                     std::string_view of_file) const {
  if (bucket.empty() || bucket == kAnyBucket) return true;
  const auto parsed = ParseBucket(bucket);
  return parsed && std::ranges::binary_search(BoundsOf(op_name, of_file), parsed->bound);
}

std::size_t Family::Find(std::string_view column) const {
  const auto named = [column](const Column& candidate) {
    return candidate.name == column ||
           std::ranges::find(candidate.aliases, column) != candidate.aliases.end();
  };
  const auto found = std::ranges::find_if(columns, named);
  return found == columns.end() ? kNoColumn : static_cast<std::size_t>(found - columns.begin());
}

std::string Family::Header(bool with_optional) const {
  std::string header;
  for (const Column& column : columns) {
    if (column.optional && !with_optional) continue;
    if (!header.empty()) header += ',';
    header += column.name;
  }
  return header;
}

namespace {

constexpr std::array<std::string_view, 3> kKinds = {"dense", "batched", "experts"};
// Places of a rule's text. A rounding may follow: {width:256}.
constexpr std::array<std::string_view, 13> kPlaces = {
    "m",     "n",       "k",       "batch",  "experts", "topk", "width",
    "model", "block_n", "block_k", "device", "bucket",  "gfx"};

// Returns the first unknown place of the text; "" if there is none.
std::string WrongPlace(std::string_view text) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{')) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return std::string(text.substr(open));
    const std::string_view place = text.substr(open + 1, close - open - 1);
    if (std::ranges::find(kPlaces, place.substr(0, place.find(':'))) == kPlaces.end()) {
      return std::string(place);
    }
    text.remove_prefix(close + 1);
  }
  return {};
}

void ParseColumns(JsonObject json, const Family& family, ProductRule& rule) {
  for (const std::string& name : json.MemberNames()) {
    const std::string text = json.Text(name);
    const std::size_t column = family.Find(name);
    if (column == kNoColumn || !family.columns[column].is_key()) {
      json.Fail(name, "expected a shape column of this family");
    } else if (const std::string wrong = WrongPlace(text); !wrong.empty()) {
      json.Fail(name, fmt::format("unknown figure of a matrix product: \"{}\"", wrong));
    }
    rule.columns.emplace(name, text);
  }
  json.Finish();
}

void AddUsual(Family& family) {
  if (family.metric.formula == "fmoe") {
    family.products.push_back({"experts", {}, {}});
  } else if (family.metric.formula == "gemm") {
    family.products.push_back({family.metric.batch == kNoColumn ? "dense" : "batched", {}, {}});
  }
}

constexpr std::array<JsonWord<Role>, 9> kRoles = {{{"target", Role::kTarget},
                                                   {"shape", Role::kShape},
                                                   {"tag", Role::kTag},
                                                   {"engine", Role::kEngine},
                                                   {"device", Role::kDevice},
                                                   {"config", Role::kConfig},
                                                   {"objective", Role::kObjective},
                                                   {"error", Role::kError},
                                                   {"derived", Role::kDerived}}};

constexpr std::array<JsonWord<Type>, 12> kTypes = {{{"gfx", Type::kGfx},
                                                    {"integer", Type::kInteger},
                                                    {"number", Type::kNumber},
                                                    {"boolean", Type::kBoolean},
                                                    {"flag", Type::kFlag},
                                                    {"enum", Type::kEnum},
                                                    {"kernel", Type::kKernel},
                                                    {"text", Type::kText},
                                                    {"error", Type::kError},
                                                    {"json", Type::kJson},
                                                    {"line", Type::kLine},
                                                    {"document", Type::kDocument}}};

constexpr std::array<JsonWord<Identity>, 3> kIdentities = {
    {{"always", Identity::kAlways}, {"unnamed", Identity::kUnnamed}, {"never", Identity::kNever}}};

// The types that a role may have. For example, a kernel's name in a shape key would give every
// build its own shape keys.
struct RoleTypes {
  Role role;
  std::initializer_list<Type> types;
};

const std::array<RoleTypes, 9> kRoleTypes = {
    {{Role::kTarget, {Type::kGfx, Type::kInteger}},
     {Role::kShape, {Type::kInteger, Type::kBoolean, Type::kFlag, Type::kEnum, Type::kText}},
     {Role::kTag, {Type::kText}},
     {Role::kEngine, {Type::kEnum}},
     {Role::kDevice, {Type::kText}},
     {Role::kConfig,
      {Type::kInteger, Type::kNumber, Type::kBoolean, Type::kFlag, Type::kEnum, Type::kKernel,
       Type::kText, Type::kJson, Type::kLine, Type::kDocument}},
     {Role::kObjective, {Type::kNumber}},
     {Role::kError, {Type::kError}},
     {Role::kDerived,
      {Type::kInteger, Type::kNumber, Type::kBoolean, Type::kFlag, Type::kEnum, Type::kText}}}};

bool MayHaveType(Role role, Type type) {
  const auto row = std::ranges::find(kRoleTypes, role, &RoleTypes::role);
  return std::ranges::find(row->types, type) != row->types.end();
}

bool IsName(std::string_view text) {
  return !text.empty() && text.front() > '9' && HoldsOnly(text, "_.");
}

bool IsIntegerWithin(const Column& column, std::string_view text) {
  const auto value = NumberFrom<std::int64_t>(text);
  return value && *value >= column.min && *value <= column.max;
}

// True if a default is the canonical text of a cell.
bool IsCanonical(const Column& column, std::string_view text) {
  switch (column.type) {
    case Type::kInteger:
      return IsIntegerWithin(column, text);
    case Type::kBoolean:
      return text == "True" || text == "False";
    case Type::kFlag:
      return text == "1" || text == "0";
    case Type::kEnum:
      return IsEnumValue(column, text);
    default:
      return true;
  }
}

MissingRule ParseMissingRule(JsonObject json, const Column& column) {
  MissingRule rule{json.Text("gfx", ""), json.Text("kernel_prefix", ""), json.Text("value")};
  if (!rule.value.empty() && !IsCanonical(column, rule.value)) {
    json.Fail("value", fmt::format("the column may not have the value \"{}\"", rule.value));
  }
  if (column.is_key() && !rule.kernel_prefix.empty()) {
    json.Fail("kernel_prefix", "a shape column's value must not depend on the kernel");
  }
  json.Finish();
  return rule;
}

void ParseMissing(JsonObject& json, Column& column) {
  if (!json.Has("missing")) return;
  if (json.IsText("missing")) {
    column.missing.push_back({"", "", json.Text("missing")});
    const std::string& value = column.missing.back().value;
    if (!value.empty() && !IsCanonical(column, value)) {
      json.Fail("missing", fmt::format("the column may not have the value \"{}\"", value));
    }
    return;
  }
  for (const JsonObject& rule : json.Objects("missing")) {
    column.missing.push_back(ParseMissingRule(rule, column));
  }
}

void ParseReadWhere(JsonObject& json, Column& column) {
  if (!json.Has("read_where")) return;
  if (column.role != Role::kConfig) json.Fail("read_where", "is allowed only with role config");
  JsonObject where = json.Object("read_where");
  column.read_where = {where.Text("column"), where.Text("value")};
  where.Finish();
}

// {"128": "128x128"}
void ParseSpellings(JsonObject& json, Column& column) {
  if (!json.Has("spellings")) return;
  JsonObject spellings = json.Object("spellings");
  for (const std::string& older : spellings.MemberNames()) {
    const std::string value = spellings.Text(older);
    column.spellings[older] = value;
    if (column.type == Type::kEnum && IsEnumValue(column, value)) continue;
    spellings.Fail(older, fmt::format("\"{}\": expected one of the column's values", value));
  }
  spellings.Finish();
}

// Checks members that apply to only one type or role.
void CheckMembers(JsonObject& json, const Column& column) {
  for (const char* const member : {"min", "max"}) {
    if (json.Has(member) && column.type != Type::kInteger) {
      json.Fail(member, "is allowed only with type integer");
    }
  }
  for (const char* const member : {"values", "prefix"}) {
    if (json.Has(member) && column.type != Type::kEnum)
      json.Fail(member, "is allowed only with type enum");
  }
  for (const char* const member : {"identity", "key_values"}) {
    if (json.Has(member) && column.role != Role::kConfig) {
      json.Fail(member, "is allowed only with role config");
    }
  }
  if (column.min > column.max) json.Fail("min", "is above max");
  if (column.optional && column.missing.empty()) {
    json.Fail("optional", "needs \"missing\", the value of an empty cell");
  }
}

// The engines that are providers.
constexpr std::array<std::string_view, 4> kEngines = {"aiter", "vllm", "sglang", "rocm"};

void CheckEngines(JsonObject& json, const Column& column) {
  if (column.role != Role::kEngine) return;
  for (const std::string& value : column.values) {
    if (std::ranges::find(kEngines, value) != kEngines.end()) continue;
    json.Fail("values",
              fmt::format("unknown engine \"{}\"; expected aiter, vllm, sglang or rocm", value));
  }
}

void CheckValues(JsonObject& json, const Column& column) {
  if (column.type != Type::kEnum) return;
  if (column.values.empty()) json.Fail("values", "must list the values in the rows' order");
  if (column.values.size() > kMaxEnumValues) {
    json.Fail("values",
              fmt::format("has {} values; the limit is {}", column.values.size(), kMaxEnumValues));
  }
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const std::string& value = column.values[i];
    // Values of a shape are plain words of the table. Other enum values become source code.
    const bool word = column.is_shape() && HoldsOnly(value, "_");
    if (value.empty() || !(word || IsName(value))) {
      json.Fail("values", fmt::format("\"{}\": expected a name", value));
    }
    if (!value.starts_with(column.prefix)) {
      json.Fail("values", fmt::format("\"{}\" must start with \"{}\"", value, column.prefix));
    }
    if (std::find(column.values.begin(), column.values.begin() + static_cast<std::ptrdiff_t>(i),
                  value) != column.values.begin() + static_cast<std::ptrdiff_t>(i)) {
      json.Fail("values", fmt::format("\"{}\" is listed twice", value));
    }
  }
}

}  // namespace

void ParseProducts(JsonObject& json, Family& family) {
  if (!json.Has("products")) return AddUsual(family);
  for (JsonObject& item : json.Objects("products")) {
    ProductRule rule;
    rule.of = item.Text("of");
    if (std::ranges::find(kKinds, rule.of) == kKinds.end()) {
      item.Fail("of", "must be one of dense, batched, experts");
    }
    rule.schemes = item.Texts("schemes");
    if (item.Has("columns")) ParseColumns(item.Object("columns"), family, rule);
    item.Finish();
    family.products.push_back(std::move(rule));
  }
}

bool IsEnumValue(const Column& column, std::string_view text) {
  if (std::ranges::find(column.values, text) != column.values.end()) return true;
  if (column.prefix.empty()) return column.role == Role::kConfig && IsName(text);
  if (!text.starts_with(column.prefix) || text.size() == column.prefix.size()) return false;
  return HoldsOnly(text.substr(column.prefix.size()), "_");
}

Column ParseColumn(JsonObject& json) {
  Column column;
  column.name = json.Text("name");
  if (column.name.empty()) json.Fail("name", "must not be empty");
  const std::string role = json.Text("role");
  const std::string type = json.Text("type");
  column.role = json.OneOf("role", role, kRoles);
  column.type = json.OneOf("type", type, kTypes);
  if (!MayHaveType(column.role, column.type)) {
    json.Fail("type", fmt::format("a column of role {} cannot be of type {}", role, type));
  }
  column.min = json.Integer("min", column.min);
  column.max = json.Integer("max", column.max);
  column.values = json.Texts("values");
  column.prefix = json.Text("prefix", "");
  column.aliases = json.Texts("aliases");
  column.key_values = json.Texts("key_values");
  column.optional = json.Boolean("optional", false);
  column.identity = json.OneOf("identity", json.Text("identity", "always"), kIdentities);
  ParseMissing(json, column);
  ParseReadWhere(json, column);
  CheckMembers(json, column);
  CheckValues(json, column);
  ParseSpellings(json, column);
  CheckEngines(json, column);
  json.Finish();
  return column;
}

}  // namespace tunehub::core
