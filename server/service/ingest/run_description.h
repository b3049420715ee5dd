// What a run says of itself: the JSON of POST /runs, and of run.json in an import.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/result.h"
#include "server/store/ingest/run_records.h"

namespace tunehub::service {

inline constexpr std::size_t kMaxRunBytes = 64 * 1024;

// Its hash is of the content: the members in another order are the same run. Errors: too_large,
// bad_json, bad_run, which names the member.
core::Result<store::RunContent> ReadRun(std::string_view body);

}  // namespace tunehub::service
