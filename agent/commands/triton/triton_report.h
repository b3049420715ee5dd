// What `tunehub-agent triton merge` says.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/buckets/bucket_merge.h"

namespace tunehub::agent {

// Each file that was written (at `places`, in the order of merge.files) with a line per bucket:
// where it is from, and why.
void PrintTritonText(std::ostream& out, const buckets::MergeInput& input,
                     const buckets::BucketMerge& merge, const std::vector<std::string>& places,
                     const buckets::BucketRuns& runs);
void PrintTritonJson(std::ostream& out, const buckets::MergeInput& input,
                     const buckets::BucketMerge& merge, const std::vector<std::string>& places,
                     const buckets::BucketRuns& runs);

}  // namespace tunehub::agent
