// Shapes that somebody sends: as an untuned table, or as JSON.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/table/untuned_table.h"
#include "server/service/registry/write.h"

namespace tunehub::service {

// Shapes in one body: as many as a batch of results is expected to hold.
inline constexpr std::size_t kMaxBodyShapes = 100'000;

// `target`: of rows that name none. Errors refuse the whole body: those of core::ReadUntunedTable;
// bad_json, too_large, too_many_rows of {"gfx":"gfx942","cu_num":304,"shapes":[{...,"count":12}]}.
core::Result<core::UntunedTable> ReadShapesBody(const core::Family& family, std::string_view body,
                                                BodyFormat format, const core::Target& target);

}  // namespace tunehub::service
