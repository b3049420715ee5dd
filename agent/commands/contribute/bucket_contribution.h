// New buckets for AITER's Triton configs: in the file that AITER's lookup reads for them, or in a
// special file of their own where a change would harm others that read it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/commands/contribute/contribution.h"
#include "core/base/result.h"
#include "core/buckets/bucket_runs.h"
#include "core/readers/reader.h"

namespace tunehub::agent {

struct BucketSite {
  const core::Reader* reader = nullptr;      // AITER's
  const core::ReaderStore* store = nullptr;  // its files of buckets
  std::filesystem::path tree;                // a checkout of AITER, or its Triton configs
  std::vector<std::string> against;  // other such trees; those without Triton configs say nothing
  // Times with the tree's config and with the offered one, each judged for its architecture.
  buckets::BucketRuns runs;
};

// The tree is read and left as it is. A bucket that the tree has is changed only where `runs` say
// that it may, and so is every default file: all (B, N, K) without a file of their own read it. A
// special file that is new has the buckets of the file that was read before. Errors: no_folder
// (also one of `against`), those of reading the files, bad_bucket_file, wrong_bucket, bad_arguments
// (times that do not say of which architecture they are, where it matters), guard_failed.
core::Result<Contribution> ContributeBuckets(Offer offer, const BucketSite& site);

}  // namespace tunehub::agent
