// Two states of one of AITER's Triton configs made one that harms nobody who was measured. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/bucket_file.h"
#include "core/analysis/compare.h"
#include "core/base/result.h"

namespace tunehub::buckets {

// Times of AITER's Triton kernels, with one config or the other: the CSV that any driver can write.
// docs/readers.md describes it.
struct BucketTime {
  std::string place;   // "runs.csv:5", for messages
  std::string kernel;  // as KernelOf has it
  Sizes sizes;         // B first, K last
  std::int64_t m = 0;
  std::string bucket;  // that it was read from
  bool with_new = false;
  std::optional<double> us;  // none: it did not run
  std::string arch = {};     // "gfx950"; "": nobody said
};

struct BucketRuns {
  std::vector<BucketTime> times;
  analysis::Environment old_environment, new_environment;
};

// Adds one file's rows. Columns: kernel, M, N, K (and B, or other sizes by their names), bucket,
// us, config (old, new), gfx; lines "# config: old" and "# gfx: gfx950" before the header stand for
// these columns. Errors, each with file, line and column: bad_header, bad_cell, no_config, those of
// core::CsvReader and core::CheckTableText.
core::Status AddRuns(const std::string& file, std::string_view csv, BucketRuns& runs);

// A file to begin with: the header, and what each column is.
std::string_view RunsTemplate();

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

// The buckets that a merge of two files has, and what each file's lookup gives for their M.
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

// What the measured rows say of the shapes that read the file. Errors: those of MergeBuckets.
core::Result<Evidences> Judge(const MergeInput& input, const BucketRuns& runs,
                              const std::vector<PlannedBucket>& plan);

}  // namespace tunehub::buckets
