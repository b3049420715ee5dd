#include "server/answers/shapes.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/row.h"
#include "core/table/csv.h"
#include "server/answers/target_parameters.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::string> TextOf(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

// To parse a JSON body, the hub needs ten times the body's size in memory. Larger bodies must be
// CSV.
constexpr std::size_t kMaxJsonBytes = 8 * 1024 * 1024;

// Takes a reference and prints no nested value, because copying or printing a million levels would
// overflow the stack.
std::string CellText(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  if (value.is_number()) return value.dump();
  return fmt::format("({})", value.type_name());  // no column accepts this value
}

std::string MemberText(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? "" : CellText(*found);
}

std::optional<core::RowIssue> ReadItem(const core::Family& family, const nlohmann::json& item,
                                       std::size_t place, core::UntunedRow& row) {
  auto issue = ReadShapeJson(family, row.target.gfx, item, place, row.shape);
  if (issue || !item.contains("count")) return issue;
  const auto count = core::ParseCount(CellText(item.at("count")));
  if (!count.ok()) return core::RowIssue{place, "count", count.error().code, count.error().detail};
  row.count = *count;
  return std::nullopt;
}

// {"gfx":"gfx942","cu_num":304,"shapes":[{...,"count":12}]}
core::Result<core::UntunedTable> ReadJson(const core::Targets& targets, const core::Family& family,
                                          std::string_view body, core::Target target) {
  if (body.size() > kMaxJsonBytes) {
    return core::Error{
        "too_large",
        fmt::format("the JSON is larger than {} bytes; send CSV instead", kMaxJsonBytes)};
  }
  const auto json = core::ReadJson(body);
  if (json.is_discarded()) {
    if (const auto overflow = core::FindOverflow(body)) return *overflow;
  }
  if (!json.is_object()) return core::Error{"bad_json", "expected a JSON object as the body"};
  for (const auto& [name, value] : json.items()) {
    if (name != "gfx" && name != "cu_num" && name != "shapes") {
      return core::Error{
          "bad_json",
          fmt::format("unknown member '{}'; expected gfx, cu_num and shapes", core::Excerpt(name))};
    }
  }
  if (json.contains("gfx") || json.contains("cu_num")) {
    const auto own = DemandTargetOf(targets, MemberText(json, "gfx"), MemberText(json, "cu_num"));
    if (!own.ok()) return core::Error{"bad_json", own.error().detail};
    target = *own;
  }
  if (!json.contains("shapes") || !json.at("shapes").is_array()) {
    return core::Error{"bad_json", "expected an array \"shapes\" in the body"};
  }
  if (json.at("shapes").size() > kMaxBodyShapes) {
    return core::Error{"too_many_rows", fmt::format("more than {} shapes", kMaxBodyShapes)};
  }
  core::UntunedTable table;
  std::size_t place = 0;
  for (const auto& item : json.at("shapes")) {
    core::UntunedRow row;
    row.target = target;
    if (auto issue = ReadItem(family, item, ++place, row))
      table.rejected.push_back(*std::move(issue));
    else
      table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

nlohmann::ordered_json ShapeJson(const core::Family& family, const core::FamilyShape& shape) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i : core::ShapeColumns(family)) {
    const std::string& cell = shape.cells[i];
    if (cell.empty()) continue;
    auto value = core::CellJson(family.columns[i], cell);
    json[family.columns[i].name] = value.is_number() ? std::move(value) : Json(cell);
  }
  return json;
}

std::optional<core::RowIssue> ReadShapeJson(const core::Family& family, std::string_view gfx,
                                            const nlohmann::json& json, std::size_t row,
                                            core::FamilyShape& shape) {
  if (!json.is_object()) {
    return core::RowIssue{
        row, "", "not_a_shape",
        fmt::format("expected an object for the shape, but found {}", json.type_name())};
  }
  std::vector<std::string> texts;
  texts.reserve(json.size());  // cells are views of them
  std::vector<core::NamedCell> cells;
  for (const auto& [name, value] : json.get_ref<const nlohmann::json::object_t&>()) {
    if (name == "count") continue;
    auto text = TextOf(value);
    if (!text) {
      return core::RowIssue{row, name, "not_a_value", "expected a text, a number, true or false"};
    }
    if (text->size() > core::kMaxFieldBytes) {  // as in a table
      return core::RowIssue{
          row, name, "not_a_value",
          fmt::format("has {} bytes; the limit is {}", text->size(), core::kMaxFieldBytes)};
    }
    texts.push_back(*std::move(text));
    cells.push_back({name, texts.back()});
  }
  return core::MakeShape(family, gfx, cells, row, shape);
}

std::string StoredShapes(const core::Family& family, const std::vector<core::FamilyShape>& shapes) {
  auto list = nlohmann::ordered_json::array();
  for (const core::FamilyShape& shape : shapes) list.push_back(ShapeJson(family, shape));
  return list.dump();
}

std::vector<core::FamilyShape> ReadStoredShapes(const core::Family& family,
                                                const std::string& text) {
  std::vector<core::FamilyShape> shapes;
  const auto json = core::ReadJson(text);
  for (const auto& item : json) {
    core::FamilyShape shape;
    if (!ReadShapeJson(family, "", item, 0, shape)) shapes.push_back(std::move(shape));
  }
  return shapes;
}

core::Result<core::UntunedTable> ReadShapesBody(const core::Targets& targets,
                                                const core::Family& family, std::string_view body,
                                                BodyFormat format, const core::Target& target) {
  return format == BodyFormat::kCsv ? core::ReadUntunedTable(family, body, target, kMaxBodyShapes)
                                    : ReadJson(targets, family, body, target);
}

}  // namespace tunehub::server
