// What the measured rows say of the shapes that read a file. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/bucket_file.h"
#include "core/analysis/bucket_merge.h"
#include "core/analysis/compare.h"
#include "core/base/result.h"

namespace tunehub::buckets {

// The buckets that a merge of two files has, and what each file's lookup gives for their M. Pure.
struct PlannedBucket {
  std::string name;
  const Bucket* of_old = nullptr;  // what the old file's lookup gives for all its M; null: nothing
  const Bucket* of_new = nullptr;  // null: nothing, or not one config for all
};

// Every bucket of either file that the lookup tries and that some M reaches, in a file's order: by
// bound, any last. One of the new file alone is left out where the old file has several configs for
// its M. The files outlive it.
std::vector<PlannedBucket> PlanBuckets(const BucketFile& old_file, const BucketFile& new_file,
                                       std::span<const std::int64_t> bounds);

// The place of M's bucket; the plan's size where it has none.
std::size_t PlaceOf(const std::vector<PlannedBucket>& plan, std::int64_t m,
                    std::span<const std::int64_t> bounds);

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
