// Shapes as JSON: {"M":"16","N":"1280","K":"5120"}, with AITER's column names and canonical texts.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/shapes/shape.h"
#include "core/table/untuned_table.h"
#include "server/db/writer.h"

namespace tunehub::server {

// Returns the columns in the family's order, without empty cells.
nlohmann::ordered_json ShapeJson(const core::Family& family, const core::FamilyShape& shape);

// Reads an object whose values are texts, numbers or booleans. Skips its member "count". `row`: the
// object's index, from 1, for the issue. Issues: those of core::MakeShape, not_a_shape,
// not_a_value.
std::optional<core::RowIssue> ReadShapeJson(const core::Family& family, std::string_view gfx,
                                            const nlohmann::json& json, std::size_t row,
                                            core::FamilyShape& shape);

// Writes a list of shapes as text, in the form that jobs store.
std::string StoredShapes(const core::Family& family, const std::vector<core::FamilyShape>& shapes);
// Reads the shapes in a text of StoredShapes. Leaves out shapes that no longer fit the family.
std::vector<core::FamilyShape> ReadStoredShapes(const core::Family& family,
                                                const std::string& json);

// Limit of shapes in one body: about as many as in a large batch of results.
inline constexpr std::size_t kMaxBodyShapes = 100'000;

// JSON is {"gfx":"gfx942","cu_num":304,"shapes":[{...,"count":12}]}; "gfx" may name a product
// instead (target_parameters.h). `target`: the target of rows without one. Errors refuse the whole
// body: for CSV those of core::ReadUntunedTable, for JSON bad_json, too_large, too_many_rows.
core::Result<core::UntunedTable> ReadShapesBody(const core::Targets& targets,
                                                const core::Family& family, std::string_view body,
                                                BodyFormat format, const core::Target& target);

}  // namespace tunehub::server
