// The buckets that a merge of two files has, and what each file's lookup gives for their M. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/buckets/bucket_file.h"

namespace tunehub::buckets {

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

}  // namespace tunehub::buckets
