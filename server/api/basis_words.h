// On what an estimate is based, in words and figures.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/analysis/worth.h"

namespace tunehub::api {

// {"basis", "default", "words", "m", "from", "ratio_of", "shapes", "tuned_error", "worth_error"}.
// The words are of the smallest M, `m`; `from` and `ratio_of` are whole keys, of which the words
// have the cells that differ. An error is {"keys", "error", "sure"}, null where no key was held
// out.
nlohmann::ordered_json BasisJson(const analysis::BasisUse& use);

}  // namespace tunehub::api
