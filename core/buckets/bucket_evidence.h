// What the measured rows say of the shapes that read a file. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/compare.h"
#include "core/base/result.h"
#include "core/buckets/bucket_merge.h"
#include "core/buckets/bucket_plan.h"

namespace tunehub::buckets {

// A shape at an M, with both configs.
struct Evidence {
  Sizes sizes;
  std::int64_t m = 0;
  std::size_t place = 0;        // of its bucket in the plan
  analysis::Compared compared;  // without its key

  bool is_slower() const;  // also: it does not run with the new config
  bool is_faster() const { return compared.change == analysis::Change::kFaster; }
  bool is_unsure() const;    // measured, but nothing can be said
  bool is_measured() const;  // with both
  std::string Text() const;  // "N=128 K=512 M=16: 6.1 -> 7.3 us"
};

struct Evidences {
  std::vector<Evidence> all;
  std::vector<std::string> remarks;  // on rows that were left out
  std::size_t times = 0, shapes = 0;
};

// Errors: those of MergeBuckets.
core::Result<Evidences> Judge(const MergeInput& input, const BucketRuns& runs,
                              const std::vector<PlannedBucket>& plan);

}  // namespace tunehub::buckets
