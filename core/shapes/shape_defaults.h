// The columns of an untuned row that no dimension of a model says: operand types, activation,
// flags. One table of what AITER's own untuned files hold.
#pragma once

#include <string>

#include "core/shapes/model_shapes.h"

namespace tunehub::core {

// The text of `column` where nobody says otherwise; "" for a target column or an optional one.
// Errors: bad_dtype, with what there is; bad_column (a column that no default is known for).
Result<std::string> DefaultOf(const Column& column, const Family& family, const Model& model,
                              const ShapeOptions& options);

}  // namespace tunehub::core
