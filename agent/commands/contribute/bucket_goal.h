// One of AITER's Triton files while buckets are put into it: what it says now, what it would say,
// and by which rule it may. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/commands/contribute/contribution.h"
#include "core/base/result.h"
#include "core/buckets/bucket_merge.h"
#include "core/readers/file_name.h"

namespace tunehub::agent {

struct WantedBucket {
  OfferedRow row;
  buckets::Bucket bucket;
};

struct BucketGoal {
  std::string path;  // below the config folder
  core::KeyCells key;
  buckets::BucketName name;
  std::vector<std::int64_t> bounds;
  std::string arch;       // whose times judge it
  bool in_tree = false;   // else `base` is what was read before, if anything was
  std::string base_path;  // "": nothing was
  buckets::BucketFile base;
  std::vector<buckets::Sizes> siblings;  // special files beside it
  std::vector<WantedBucket> wanted;

  // Whether a bucket is wanted that is not there as it is.
  bool changes() const;
  bool is_default() const { return name.sizes.empty(); }
  // Whether every shape without a file of its own reads what is changed. A special file whose name
  // leaves B out is read for every B. It counts as the file of one shape: its rows have no B.
  bool is_shared() const { return in_tree && is_default(); }
};

// A file as it would be.
struct MadeFile {
  buckets::BucketName name;
  buckets::BucketFile file;
  std::vector<const WantedBucket*> taken;
  std::vector<std::string> notes;
};

struct GoalAnswer {
  std::vector<MadeFile> files;
  std::vector<LeftOut> left_out;
  std::vector<std::string> remarks;
};

// `runs` decide where they have times of the file; else a bucket that nobody else reads is taken on
// its own time. Errors: wrong_bucket.
core::Result<GoalAnswer> MakeFiles(const core::Family& family, const BucketGoal& goal,
                                   const buckets::BucketRuns& runs);

// Why AITER would stop or read something else in the file; "": it would not. Each M finds a config
// as it did before, and it is the one that it found or a taken one.
std::string WhyHarmful(const BucketGoal& goal, const MadeFile& made);

}  // namespace tunehub::agent
