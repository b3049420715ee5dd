// The entries of modules_to_not_convert, ignored_layers, ignore and exclude: names, globs and
// regular expressions of modules.
#pragma once

#include <string_view>

#include "core/shapes/quantization.h"

namespace tunehub::core {

// "model.layers.*.self_attn", "re:.*self_attn.*", "model.layers.3.mlp.gate", "lm_head". An entry
// with alternatives in it names a module that is called so nowhere, and so excludes nothing.
Unconverted ParseUnconverted(std::string_view entry);

// Whether `module` is `name`, a part of it, or what holds it: whole components, in their order.
bool Covers(std::string_view module, std::string_view name);

}  // namespace tunehub::core
