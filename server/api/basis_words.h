// On what an estimate is based, in words and figures.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/analysis/worth.h"

namespace tunehub::api {

// {"basis", "default", "words", "shapes", "tuned_error", "worth_error"}: an error is
// {"keys", "error", "sure"}, null where no key could be held against it.
nlohmann::ordered_json BasisJson(const analysis::BasisUse& use);

}  // namespace tunehub::api
