#include "server/service/queue/shape_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/table/csv.h"

namespace tunehub::service {
namespace {

std::optional<std::string> TextOf(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

}  // namespace

nlohmann::ordered_json ShapeJson(const core::Family& family, const core::FamilyShape& shape) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i : core::ShapeColumns(family)) {
    if (!shape.cells[i].empty()) json[family.columns[i].name] = shape.cells[i];
  }
  return json;
}

std::optional<core::RowIssue> ReadShapeJson(const core::Family& family, std::string_view gfx,
                                            const nlohmann::json& json, std::size_t row,
                                            core::FamilyShape& shape) {
  if (!json.is_object()) {
    return core::RowIssue{row, "", "not_a_shape",
                          fmt::format("the shape is no object but {}", json.type_name())};
  }
  std::vector<std::string> texts;
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) {
    if (name == "count") continue;
    const auto text = TextOf(value);
    if (!text) {
      return core::RowIssue{row, name, "not_a_value",
                            "the value is neither a text nor a number nor true or false"};
    }
    if (text->size() > core::kMaxFieldBytes) {  // as in a table
      return core::RowIssue{
          row, name, "not_a_value",
          fmt::format("{} bytes, the limit is {}", text->size(), core::kMaxFieldBytes)};
    }
    names.push_back(name);
    texts.push_back(*text);
  }
  std::vector<core::NamedCell> cells;
  for (std::size_t i = 0; i < names.size(); ++i) cells.push_back({names[i], texts[i]});
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

}  // namespace tunehub::service
