// Looks up configs in AITER's Triton config files. A file contains one config for each bucket of M.
// Merges two versions of a file so that no measured shape becomes slower. Does no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/compare.h"
#include "core/base/result.h"

namespace tunehub::buckets {

// A file name's sizes, in the name's order: ("N", "128"), ("K", "512"). Empty for a default file.
using Sizes = std::vector<std::pair<std::string, std::string>>;

// A config file's name is <arch>-<CONFIG>[-B=b]-N=n-K=k.json. A folder for one config contains
// DEFAULT.json and <CONFIG>-N=n-K=k.json.
struct BucketName {
  std::string arch;    // "gfx950"; "": only the folder's name contains it
  std::string config;  // "BATCHED_GEMM-A16WFP4"; "": a DEFAULT.json in a folder for it
  Sizes sizes;

  std::string File() const;
};

// Parses a file's name without its folder. Errors: bad_bucket_name, with the faulty part.
core::Result<BucketName> ParseBucketName(std::string_view file);

// The config's kernel, spelled as drivers and folders spell it: "batched_gemm_a16wfp4".
std::string KernelOf(std::string_view config);

bool AreAmong(const Sizes& some, const Sizes& all);

enum class BucketKind { kAtMost, kAtLeast, kAny, kOther };

// A bucket's kind and bound, from its name: "M_LEQ_64", "M_GEQ_4096", "any". kOther: a note, or a
// name of unknown kind.
struct BucketKey {
  BucketKind kind = BucketKind::kOther;
  std::int64_t bound = 0;
};
BucketKey KeyOf(std::string_view name);

struct Bucket {
  std::string name;
  std::string config;  // compact JSON, members in the file's order

  bool operator==(const Bucket&) const = default;
};

class BucketFile {
 public:
  BucketFile() = default;
  BucketFile(std::vector<Bucket> buckets, int indent)
      : buckets_(std::move(buckets)), indent_(indent) {}

  // Errors: bad_bucket_file if the text is not JSON or not an object, repeats a member, has a
  // bucket that is not an object, or has M_BOUNDS for which AITER raises an error.
  static core::Result<BucketFile> Parse(std::string_view name, std::string_view text);

  // Returns the first of these buckets that exists: the M_LEQ with the least bound >= M, the M_GEQ
  // with the greatest bound <= M, `any`. `bounds`: the bounds that the lookup tries. Null if no
  // bucket fits M; AITER then raises an error.
  const Bucket* At(std::int64_t m, std::span<const std::int64_t> bounds) const;
  const Bucket* Find(std::string_view name) const;
  // The file's M_BOUNDS, for core::ParseBounds; "": the file has none.
  const std::string& bounds() const { return bounds_; }

  // True if the lookup ever tries the bucket `name`.
  static bool IsTried(std::string_view name, std::span<const std::int64_t> bounds);
  // Adds every M at which the lookup may change to another bucket.
  void AddStarts(std::span<const std::int64_t> bounds, std::set<std::int64_t>& starts) const;

  const std::vector<Bucket>& buckets() const { return buckets_; }
  int indent() const { return indent_; }
  // The text in AITER's format. It has the parsed text's indent and ends with a line feed.
  std::string Text() const;

 private:
  std::vector<Bucket> buckets_;
  int indent_ = 4;
  std::string bounds_;
};

// True if the configs are equal, in any order of members.
bool IsSameConfig(const std::string& a, const std::string& b);

// The time of one of AITER's Triton kernels with the old or the new config. Any driver can write
// such a CSV (docs/readers.md).
struct BucketTime {
  std::string place;   // "runs.csv:5", for messages
  std::string kernel;  // as KernelOf returns it
  Sizes sizes;         // B first, K last
  std::int64_t m = 0;
  std::string bucket;  // the bucket that contained the config
  bool with_new = false;
  std::optional<double> us;  // absent: it did not run
  std::string arch = {};     // "gfx950"; "": unknown
};

struct BucketRuns {
  std::vector<BucketTime> times;
  analysis::Environment old_environment, new_environment;
};

// Adds one file's rows. Columns: kernel, M, N, K (and B, or other sizes by their names), bucket,
// us, config (old, new), gfx. Lines "# config: old" and "# gfx: gfx950" before the header may
// replace the columns config and gfx. Errors, with file, line and column: bad_header, bad_cell,
// no_config; as core::CsvReader and core::CheckTableText.
core::Status AddRuns(const std::string& file, std::string_view csv, BucketRuns& runs);

// A template file: the header, and comments about the columns.
std::string_view RunsTemplate();

struct MergeInput {
  BucketName name;  // the old file's name; has a config even for a DEFAULT.json
  BucketFile old_file, new_file;
  std::vector<Sizes> siblings;  // sizes of this config's special files in the old file's folder
  std::string kernel;           // only rows of this kernel count; "": KernelOf(name.config)
  std::vector<std::int64_t> bounds = {};  // bounds that the kernel's lookup tries, ascending
  analysis::CompareLimits limits = {};
  std::string arch = {};  // only rows of this arch or without an arch count; "": name.arch
};

enum class Reason {
  kSame,        // both files have the same config
  kFaster,      // some shape is faster, and no shape is slower
  kNotSlower,   // no shape is faster or slower
  kSlower,      // keeps the old config: the new one makes a shape slower
  kUnsure,      // keeps the old config: the old or new config's runs disagree or have no time
  kUnmeasured,  // keeps the old config: no shape was measured with both configs
  kNoBucket,    // keeps the old config: the new file has no config, or several, for this bucket's M
  kNeverTried,  // keeps the old config: the lookup does not try this bound
  kNote,        // keeps the old member: it is not a bucket
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

  std::size_t taken() const;  // number of configs from the new file
};

struct BucketMerge {
  // Why the old file stays unchanged. There are two reasons: a bucket would make one shape faster
  // and another slower; or the file is a default and no shape becomes faster.
  std::string left_alone;
  // Contains the merged old file. If the old file stays unchanged, contains a special file for each
  // shape that becomes faster.
  std::vector<MergedFile> files;
  std::vector<std::string> remarks;
  std::size_t times = 0;   // number of rows that count
  std::size_t shapes = 0;  // shapes that read the old file
};

// Takes a bucket from the new file if drivers measured the bucket and it makes no shape slower (the
// rule of analysis::Compare). Otherwise keeps the old file's bucket. So for any M the lookup finds
// the old or the new config. If a bucket helps one shape that reads this file and harms another,
// the file stays unchanged. Each shape that becomes faster then gets a special file for its N and K
// (and B if the result depends on B). Errors: no_measurement (no row of this kernel, or of a shape
// that reads this file), wrong_bucket (neither file gives a row's bucket for its M).
core::Result<BucketMerge> MergeBuckets(const MergeInput& input, const BucketRuns& runs);

// A bucket of the merged file, and the config that each file gives for the bucket's M.
struct PlannedBucket {
  std::string name;
  const Bucket* of_old = nullptr;  // the old file's config for all M; null: none
  const Bucket* of_new = nullptr;  // null: none, or several configs
};

// Returns every bucket of either file that the lookup tries and some M reaches. Sorts them as a
// file does, by bound, with `any` last. Omits a bucket that only the new file contains if the old
// file has several configs for the bucket's M. The files must outlive the plan.
std::vector<PlannedBucket> PlanBuckets(const BucketFile& old_file, const BucketFile& new_file,
                                       std::span<const std::int64_t> bounds);

// The index of M's bucket in the plan; the plan's size if M has no bucket.
std::size_t PlaceOf(const std::vector<PlannedBucket>& plan, std::int64_t m,
                    std::span<const std::int64_t> bounds);

// One shape at one M, timed with both configs.
struct Evidence {
  Sizes sizes;
  std::int64_t m = 0;
  std::size_t place = 0;        // index of its bucket in the plan
  analysis::Compared compared;  // without its shape key

  bool is_slower() const;  // true also if the new config does not run
  bool is_faster() const { return compared.change == analysis::Change::kFaster; }
  bool is_unsure() const;    // measured, but without a clear result
  bool is_measured() const;  // with both configs
  std::string Text() const;  // "N=128 K=512 M=16: 6.1 -> 7.3 us"
};

struct Evidences {
  std::vector<Evidence> all;
  std::vector<std::string> remarks;  // about ignored rows
  std::size_t times = 0, shapes = 0;
};

// Compares the shapes that read the file, by their measured rows. Errors: as MergeBuckets.
core::Result<Evidences> Judge(const MergeInput& input, const BucketRuns& runs,
                              const std::vector<PlannedBucket>& plan);

}  // namespace tunehub::buckets
