#include "core/family/families.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/family/targets.h"

namespace tunehub::core {
namespace {

// Names that must be unique, because a file or a request finds its family by them.
struct Claimed {
  const char* what;
  std::string Family::*value;
};

constexpr Claimed kClaimed[] = {
    {"name", &Family::name}, {"token", &Family::token}, {"untuned_file", &Family::untuned_file}};

Status CheckUnclaimed(const std::vector<std::shared_ptr<const Family>>& families,
                      const Family& added, const std::string& file) {
  for (const std::shared_ptr<const Family>& family : families) {
    for (const Claimed& claimed : kClaimed) {
      if ((*family).*claimed.value != added.*claimed.value) continue;
      return Error{"bad_family",
                   fmt::format("{}: /{}: \"{}\" already belongs to the family {}", file,
                               claimed.what, added.*claimed.value, family->name)};
    }
  }
  return Ok();
}

constexpr char kBadFamily[] = "bad_family";

// The column that the API's parameter `libtype` filters by. Some families lack it.
constexpr std::string_view kLibtype = "libtype";

void ParseNames(JsonObject& json, Family& family) {
  family.name = json.Text("name");
  const bool url_safe = std::ranges::all_of(family.name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (family.name.empty() || !url_safe) {
    json.Fail("name", "must be a word of a-z, 0-9 and _, because URLs contain it");
  }
  family.title = json.Text("title");
  family.file = json.Text("file");
  family.token = json.Text("token");
  // Otherwise this family would not receive AITER's default file.
  if (family.token.empty() || family.file.find(family.token) == std::string::npos) {
    json.Fail("token", fmt::format("must be part of the file name \"{}\"", family.file));
  }
  family.env = json.Text("env");
  family.untuned_file = json.Text("untuned_file");
  family.tune_script = json.Text("tune_script", "");
  family.op_test = json.Text("op_test", "");
  for (const auto& [name, limit] : {std::pair("error_limit", &Family::error_limit),
                                    std::pair("tuner_error_limit", &Family::tuner_error_limit)}) {
    family.*limit = json.Number(name, family.*limit);
    if (family.*limit <= 0 || family.*limit > 1) {
      json.Fail(name, "must be above 0 and at most 1");
    }
  }
  family.legacy_lookup = json.Boolean("legacy_lookup", true);
  const std::string without_time = json.Text("without_time", "unmeasured");
  family.declared_without_time = without_time == "declared";
  if (!family.declared_without_time && without_time != "unmeasured") {
    json.Fail("without_time", "must be \"declared\" or \"unmeasured\"");
  }
  const std::string lines = json.Text("lines", "");
  family.tunable_lines = lines == "tunableop";
  family.csv_lines = lines == "csv";
  if (!family.tunable_lines && !family.csv_lines && !lines.empty()) {
    json.Fail("lines", "must be \"tunableop\" or \"csv\"");
  }
  json.Text("notes", "");  // for people who read the file
}

void CheckDistinct(JsonObject& json, std::size_t index, const Family& family) {
  const Column& column = family.columns[index];
  std::vector<std::string> names = column.aliases;
  names.push_back(column.name);
  for (const std::string& name : names) {
    if (family.Find(name) != index) {
      json.Fail("name", fmt::format("two columns are named \"{}\"", name));
    }
  }
}

// {"column": "solution", "value": "Default"}
void ParseDefault(JsonObject& json, Family& family) {
  if (!json.Has("default")) return;
  JsonObject object = json.Object("default");
  const std::string name = object.Text("column");
  family.default_column = family.Find(name);
  family.default_value = object.Text("value");
  if (family.default_column == kNoColumn ||
      family.columns[family.default_column].role != Role::kConfig) {
    object.Fail("column", fmt::format("\"{}\": expected a column of role config", name));
  }
  if (family.default_value.empty())
    object.Fail("value", "must be the value that runs without tuning");
  object.Finish();
}

void ParseColumns(JsonObject& json, Family& family) {
  std::vector<JsonObject> objects = json.Objects("columns");
  for (JsonObject& object : objects) family.columns.push_back(ParseColumn(object));
  for (std::size_t i = 0; i < objects.size(); ++i) {
    CheckDistinct(objects[i], i, family);
    const std::string& other = family.columns[i].read_where.column;
    if (!other.empty() && family.Find(other) == kNoColumn) {
      objects[i].Fail("read_where", fmt::format("unknown column \"{}\"", other));
    }
  }
  family.ignored = json.Texts("ignored");
  for (const std::string& name : family.ignored) {
    if (family.Find(name) != kNoColumn) {
      json.Fail("ignored",
                fmt::format("\"{}\" is a column of this family, so it cannot be ignored", name));
    }
  }
}

// Records a column that a family may have at most once.
void Claim(JsonObject& json, std::size_t& place, std::size_t index, const char* what) {
  if (place != kNoColumn) json.Fail("columns", fmt::format("has two columns for {}", what));
  place = index;
}

void CheckLines(JsonObject& json, const Family& family) {
  static constexpr std::initializer_list<const char*> kTunable = {
      "validators", "op", "params", "solution", "ms", "blas_params"};
  static constexpr std::initializer_list<const char*> kCsv = {
      "table", "gfx", "cu_num", "key", "place", "path", "line", "columns", "us"};
  if (!family.tunable_lines && !family.csv_lines) return;
  for (const char* const column : family.csv_lines ? kCsv : kTunable) {
    if (family.Find(column) == kNoColumn)
      json.Fail("lines", fmt::format("the column {} is missing", column));
  }
}

// A row's target follows either from its gfx or from its device's name, never from both.
void CheckTarget(JsonObject& json, const Family& family) {
  const bool target = family.gfx != kNoColumn || family.cu_num != kNoColumn;
  if (family.device != kNoColumn && target) {
    json.Fail("columns",
              "has both a device and a target; remove the target, which follows from the device");
  }
  if (family.device == kNoColumn && family.gfx == kNoColumn) {
    json.Fail("columns", "needs a column of type gfx or of role device");
  }
  if (family.gfx != kNoColumn) return;
  for (const Column& column : family.columns) {
    if (std::ranges::any_of(column.missing, [](const auto& rule) { return !rule.gfx.empty(); })) {
      json.Fail(
          "columns",
          fmt::format("{}: a default that depends on gfx needs a column of type gfx", column.name));
    }
  }
}

void DeriveSingleColumns(JsonObject& json, Family& family) {
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    const Column& column = family.columns[i];
    if (column.type == Type::kGfx) Claim(json, family.gfx, i, "the gfx");
    if (column.role == Role::kTarget && column.type == Type::kInteger) {
      Claim(json, family.cu_num, i, "the number of CUs");
    }
    if (column.role == Role::kTag) Claim(json, family.tag, i, "the tag");
    if (column.role == Role::kObjective) Claim(json, family.objective, i, "the objective");
    if (column.role == Role::kEngine) Claim(json, family.engine, i, "the engine");
    if (column.role == Role::kDevice) Claim(json, family.device, i, "the device");
  }
  CheckTarget(json, family);
  family.libtype = family.Find(kLibtype);
  const auto id = std::ranges::find_if(family.columns, [](const Column& column) {
    return column.type == Type::kInteger && column.identity == Identity::kUnnamed;
  });
  if (id != family.columns.end()) {
    family.kernel_id = static_cast<std::size_t>(id - family.columns.begin());
  }
}

// Precondition: family.tag is set.
void DeriveColumnLists(Family& family) {
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    const Column& column = family.columns[i];
    if (column.role == Role::kError) family.error_columns.push_back(i);
    if (column.role == Role::kConfig) family.config_columns.push_back(i);
    if (!column.key_values.empty()) family.keyed_configs.push_back(i);
    if (column.type == Type::kKernel) family.kernel_columns.push_back(i);
    if (column.is_key() && i != family.tag) family.key_columns.push_back(i);
    family.has_optional = family.has_optional || column.optional;
  }
  if (family.tag != kNoColumn) family.key_columns.push_back(family.tag);
}

}  // namespace

Result<Families> Families::Load(const TextFolder& folder) {
  const Result<std::vector<std::string>> names = folder.Names();
  if (!names.ok()) return Error{"bad_family", names.error().detail};
  if (names->empty())
    return Error{"bad_family", folder.place() + ": no family file (*.json) in this folder"};
  Families loaded;
  for (const std::string& name : *names) {
    const std::string place = folder.PlaceOf(name);
    const std::optional<std::string> text = folder.Read(name);
    if (!text) return Error{"bad_family", place + ": cannot be read"};
    Result<Family> family = ParseFamily(place, *text);
    if (!family.ok()) return family.error();
    const Status unclaimed = CheckUnclaimed(loaded.families_, *family, place);
    if (!unclaimed.ok()) return unclaimed.error();
    loaded.families_.push_back(std::make_shared<const Family>(*std::move(family)));
  }
  std::ranges::sort(loaded.families_, {}, [](const auto& family) { return family->name; });
  return loaded;
}

const Family* Families::Find(std::string_view name) const {
  const auto found = std::ranges::find(families_, name, [](const auto& f) { return f->name; });
  return found == families_.end() ? nullptr : found->get();
}

Result<const Family*> Families::Named(std::string_view name) const {
  if (const Family* family = Find(name)) return family;
  const auto known = Mapped(families_, [](const auto& it) { return it->name; });
  return Error{"unknown_family", fmt::format("unknown family '{}'{}\nknown families: {}",
                                             Excerpt(name), DidYouMean(name, known), Names())};
}

const Family* Families::Unlisted() const {
  const auto found = std::ranges::find_if(families_, [](const auto& f) { return f->csv_lines; });
  return found == families_.end() ? nullptr : found->get();
}

std::string Families::Names() const {
  return Joined(families_, [](const auto& family) { return family->name; });
}

Result<Family> ParseFamily(std::string_view name, std::string_view json_text) {
  JsonErrors errors{std::string(name), kBadFamily};
  const nlohmann::json parsed = ParseJson(json_text, errors);
  JsonObject json(parsed, "", errors);
  Family family;
  ParseNames(json, family);
  ParseColumns(json, family);
  ParseDefault(json, family);
  CheckLines(json, family);
  DeriveSingleColumns(json, family);
  DeriveColumnLists(family);
  ParseSections(json, family);
  json.Finish();
  if (errors.any()) return errors.first();
  family.source = json_text;
  return family;
}

// Separate functions, so that the linker drops libcrypto from programs that compute no digest.
// libcrypto needs more time to load than reading the files does.
std::string Family::Sha256() const {
  return Sha256Hex(source);
}

std::string Targets::Sha256() const {
  return Sha256Hex(Definition());
}

}  // namespace tunehub::core
