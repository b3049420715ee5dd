// What th_layer_open is asked for, as the family's shape.
#pragma once

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/shapes/shape.h"
#include "dispatch/tunehub_dispatch.h"

namespace tunehub::th {

// The column that a layer leaves open: the padded one, or the metric's M; kNoColumn: none.
std::size_t OpenColumn(const core::Family& family);

// With 1 in the open column. Errors: those of MakeShape, with the column; bad_shape (a number for a
// dimension that the family lacks, or none at all; an item of `columns` that is not COLUMN=VALUE).
core::Result<core::FamilyShape> LayerShape(const core::Family& family, std::string_view gfx,
                                           const th_shape& shape);

}  // namespace tunehub::th
