// A database as it was before migration 16: no points.
#pragma once

namespace tunehub::test {

inline constexpr const char* kUndoPoints = R"(
  DROP TABLE point_family, point_model, point, point_basis, models_version;
  DELETE FROM schema_version WHERE version > 15;
)";

}  // namespace tunehub::test
