// Two states of one of AITER's Triton configs made one that harms nobody who was measured. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/bucket_file.h"
#include "core/analysis/bucket_runs.h"
#include "core/analysis/compare.h"
#include "core/base/result.h"

namespace tunehub::buckets {

struct MergeInput {
  BucketName name;  // of the old file; with its config, also where that is a DEFAULT.json
  BucketFile old_file, new_file;
  std::vector<Sizes> siblings;  // of the special files in the old file's folder, of this config
  std::string kernel;           // whose rows are meant; "": KernelOf(name.config)
  std::vector<std::int64_t> bounds = {};  // that the kernel's lookup tries, ascending
  analysis::CompareLimits limits = {};
  std::string arch = {};  // whose rows are meant; "": name.arch. Rows that name none are of any
};

enum class Reason {
  kSame,        // both files say the same
  kFaster,      // somebody gains, and nobody loses
  kNotSlower,   // nobody gains, nobody loses
  kSlower,      // kept: the new config harms somebody
  kUnsure,      // kept: the runs of a side do not agree, or the old config has no time
  kUnmeasured,  // kept
  kNoBucket,    // kept: the new file has nothing for these M, or not one config for all of them
  kNeverTried,  // kept: the lookup does not try this bound
  kNote,        // kept: no bucket
};
inline constexpr std::size_t kReasons = 9;
std::string_view Name(Reason reason);

struct BucketChoice {
  std::string name;
  bool from_new = false;
  Reason reason = Reason::kSame;
  std::string why;  // "slower at N=128 K=512 M=16: 6.1 -> 7.3 us (1 of 2 shapes)"
};

struct MergedFile {
  BucketName name;
  BucketFile file;
  std::vector<BucketChoice> choices;

  std::size_t taken() const;  // buckets of the new file that were not there already
};

struct BucketMerge {
  // Why the old file stays as it is: what one of its readers would gain harms another, or it is a
  // default and nobody gains.
  std::string left_alone;
  // The old file, merged; or, where it is left alone, a special file for each that gains.
  std::vector<MergedFile> files;
  std::vector<std::string> remarks;
  std::size_t times = 0;   // rows that were judged
  std::size_t shapes = 0;  // that read the old file
};

// A bucket is the new file's where some shape became faster, or none slower, by the rule of
// analysis::Compare; else, and where nothing was measured, it is the old file's. What the lookup
// takes for any M is then one of the two. Where a bucket would help one shape that reads this file
// and harm another, the file is left alone and each that gains has a special file: by N and K, and
// by B where it depends on that. Errors: no_measurement (no row of this kernel, or of a shape that
// reads this file), wrong_bucket (a row whose bucket neither file gives for its M).
core::Result<BucketMerge> MergeBuckets(const MergeInput& input, const BucketRuns& runs);

}  // namespace tunehub::buckets
