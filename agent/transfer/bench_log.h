// A log of AITER's bench before tuning, as `python3 x_tune.py --run_config 2>&1 | tee LOG` keeps
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"

namespace tunehub::agent {

struct BenchLog {
  const core::Family* family = nullptr;
  std::string json;                     // the body of POST /results: times of defaults
  std::vector<std::string> provenance;  // name=value
};

// `family` "": as the file is called, VARIANT_bench_before_TIME.log. Errors: unknown_family,
// no_baseline (no time of a default, or none of a GPU that the log names).
core::Result<BenchLog> ReadBenchLog(const core::Families& families, const std::string& family,
                                    const std::string& path, std::string_view text);

}  // namespace tunehub::agent
