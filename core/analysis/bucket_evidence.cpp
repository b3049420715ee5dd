#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/bucket_merge.h"
#include "core/base/text.h"

namespace tunehub::buckets {
namespace {

// The order of buckets in a file: M_LEQ by bound, M_GEQ by bound, any.
auto OrderOf(const std::string& name) {
  const BucketKey key = KeyOf(name);
  return std::pair(key.kind, key.bound);
}

BucketFile Outline(const std::vector<std::string>& names) {
  std::vector<Bucket> buckets;
  for (const std::string& name : names) buckets.push_back({name, "{}"});
  return BucketFile(std::move(buckets), 4);
}

std::vector<std::string> AllNames(const BucketFile& old_file, const BucketFile& new_file,
                                  std::span<const std::int64_t> bounds) {
  std::vector<std::string> names;
  for (const BucketFile* file : {&old_file, &new_file}) {
    for (const Bucket& bucket : file->buckets()) {
      const bool there = std::ranges::find(names, bucket.name) != names.end();
      if (!there && BucketFile::IsTried(bucket.name, bounds)) names.push_back(bucket.name);
    }
  }
  std::ranges::sort(names, {}, OrderOf);
  return names;
}

// `any`: some M reaches the bucket. of_old, of_new: each file's bucket for the last M; null: none.
struct Reached {
  bool any = false, old_varies = false, new_varies = false;
  const Bucket *of_old = nullptr, *of_new = nullptr;
};

std::map<std::string, Reached> Reach(const std::vector<std::string>& names,
                                     const BucketFile& old_file, const BucketFile& new_file,
                                     std::span<const std::int64_t> bounds) {
  const BucketFile outline = Outline(names);
  std::set<std::int64_t> starts;
  for (const BucketFile* file : {&outline, &old_file, &new_file}) file->AddStarts(bounds, starts);
  std::map<std::string, Reached> reached;
  for (const std::int64_t m : starts) {
    const Bucket* bucket = outline.At(m, bounds);
    if (bucket == nullptr) continue;
    Reached& it = reached[bucket->name];
    const Bucket *of_old = old_file.At(m, bounds), *of_new = new_file.At(m, bounds);
    it.old_varies = it.old_varies || (it.any && it.of_old != of_old);
    it.new_varies = it.new_varies || (it.any && it.of_new != of_new);
    it.of_old = of_old;
    it.of_new = of_new;
    it.any = true;
  }
  return reached;
}

using analysis::Change;

// The ranks in which AITER tries special files: N and K with both B and CU, with B, with CU, alone.
std::size_t RankOf(const Sizes& sizes) {
  const bool batched =
      std::ranges::any_of(sizes, [](const auto& size) { return size.first == "B"; });
  return sizes.size() + (batched ? 1 : 0);
}

// Selects the rows whose shapes read this file.
class Readers {
 public:
  explicit Readers(const MergeInput& input)
      : input_(input),
        kernel_(KernelOf(input.kernel.empty() ? input.name.config : input.kernel)),
        arch_(input.arch.empty() ? input.name.arch : input.arch) {}

  bool Reads(const BucketTime& time) {
    if (time.kernel != kernel_) {
      others_.insert(time.kernel);
      return false;
    }
    if (!arch_.empty() && !time.arch.empty() && time.arch != arch_) {
      other_archs_.insert(time.arch);
      return false;
    }
    if (!AreAmong(input_.name.sizes, time.sizes)) {
      ++elsewhere_;
      return false;
    }
    for (const Sizes& special : input_.siblings) {
      if (RankOf(special) <= RankOf(input_.name.sizes) || !AreAmong(special, time.sizes)) continue;
      ++own_[core::Assignments(special)];
      return false;
    }
    return true;
  }

  std::vector<std::string> Remarks() const {
    std::vector<std::string> remarks;
    if (elsewhere_ > 0) remarks.push_back(fmt::format("{} rows are for other sizes", elsewhere_));
    for (const auto& [sizes, rows] : own_) {
      remarks.push_back(fmt::format(
          "{} rows with {} use another file, which has these sizes in its name", rows, sizes));
    }
    if (!others_.empty()) {
      remarks.push_back(
          fmt::format("ignored the rows of other kernels: {}", fmt::join(others_, ", ")));
    }
    if (!other_archs_.empty()) {
      remarks.push_back(
          fmt::format("ignored the rows of other GPUs: {}", fmt::join(other_archs_, ", ")));
    }
    return remarks;
  }

  const std::string& kernel() const { return kernel_; }

 private:
  const MergeInput& input_;
  const std::string kernel_, arch_;
  std::set<std::string> others_, other_archs_;
  std::map<std::string, std::size_t> own_;  // by the sizes in their file's name
  std::size_t elsewhere_ = 0;
};

core::Status CheckBucket(const MergeInput& input, const BucketTime& time) {
  const Bucket* of_old = input.old_file.At(time.m, input.bounds);
  const Bucket* of_new = input.new_file.At(time.m, input.bounds);
  const auto is = [&](const Bucket* bucket) {
    return bucket != nullptr && bucket->name == time.bucket;
  };
  if (is(of_old) || is(of_new)) return core::Ok();
  const auto name = [](const Bucket* bucket) { return bucket == nullptr ? "none" : bucket->name; };
  return core::Error{"wrong_bucket",
                     fmt::format("{}: column bucket is '{}', but for M={} the lookup finds {} in "
                                 "the old file and {} in the new file, with the bounds {}",
                                 time.place, time.bucket, time.m, name(of_old), name(of_new),
                                 fmt::join(input.bounds, ","))};
}

// Rows of one shape are its runs. They have neither a target nor a candidate.
void AddRun(const BucketTime& time, analysis::Side& side) {
  const std::string m = std::to_string(time.m);
  analysis::NamedViews shape(time.sizes.begin(), time.sizes.end());
  shape.emplace_back("M", m);
  auto& timing = side.At("", shape, "", "");
  if (time.us) timing.runs.push_back(*time.us);
}

}  // namespace

std::vector<PlannedBucket> PlanBuckets(const BucketFile& old_file, const BucketFile& new_file,
                                       std::span<const std::int64_t> bounds) {
  std::vector<std::string> names = AllNames(old_file, new_file, bounds);
  for (;;) {
    auto reached = Reach(names, old_file, new_file, bounds);
    // The old file's own buckets never vary, because the plan contains all its bounds.
    const auto varies = std::ranges::find_if(
        names, [&](const std::string& name) { return reached[name].old_varies; });
    if (varies != names.end()) {
      names.erase(varies);
      continue;
    }
    std::vector<PlannedBucket> plan;
    for (const std::string& name : names) {
      const Reached& it = reached[name];
      if (it.any) plan.push_back({name, it.of_old, it.new_varies ? nullptr : it.of_new});
    }
    return plan;
  }
}

std::size_t PlaceOf(const std::vector<PlannedBucket>& plan, std::int64_t m,
                    std::span<const std::int64_t> bounds) {
  const BucketFile outline = Outline(core::Mapped(plan, &PlannedBucket::name));
  const Bucket* found = outline.At(m, bounds);
  return found == nullptr ? plan.size()
                          : static_cast<std::size_t>(found - outline.buckets().data());
}

bool Evidence::is_slower() const {
  const bool lost = compared.change == Change::kSkipped && compared.base && !compared.head;
  return compared.change == Change::kSlower || lost;
}

bool Evidence::is_unsure() const {
  return compared.change == Change::kUnstable ||
         (compared.change == Change::kSkipped && !compared.base);
}

bool Evidence::is_measured() const {
  return compared.change != Change::kNotInBase && compared.change != Change::kNotInHead;
}

std::string Evidence::Text() const {
  const auto us = [](const std::optional<analysis::Timed>& timed) {
    return timed ? fmt::format("{:.2f}", timed->us) : std::string("no time");
  };
  return fmt::format("{} M={}: {} -> {}", core::Assignments(sizes), m, us(compared.base),
                     us(compared.head));
}

core::Result<Evidences> Judge(const MergeInput& input, const BucketRuns& runs,
                              const std::vector<PlannedBucket>& plan) {
  Readers readers(input);
  analysis::Side old_side, new_side;
  Evidences evidences;
  for (const BucketTime& time : runs.times) {
    if (!readers.Reads(time)) continue;
    if (const auto right = CheckBucket(input, time); !right.ok()) return right.error();
    ++evidences.times;
    AddRun(time, time.with_new ? new_side : old_side);
  }
  evidences.remarks = readers.Remarks();
  const auto comparison = analysis::Compare(old_side, new_side, input.limits);
  if (!comparison.ok()) {
    return core::Error{"no_measurement",
                       fmt::format("no shape of {} that reads {} was measured with both configs; "
                                   "{} rows have the old config, {} the new config{}{}",
                                   readers.kernel(), input.name.File(), old_side.timings().size(),
                                   new_side.timings().size(), evidences.remarks.empty() ? "" : "; ",
                                   fmt::join(evidences.remarks, "; "))};
  }
  std::set<std::string> shapes;
  for (const analysis::Compared& compared : comparison->keys) {
    Evidence evidence{compared.key.shape(), 0, 0, compared};
    evidence.compared.key = {};  // its texts die with the comparison
    evidence.m = std::stoll(evidence.sizes.back().second);
    evidence.sizes.pop_back();
    evidence.place = PlaceOf(plan, evidence.m, input.bounds);
    shapes.insert(core::Assignments(evidence.sizes));
    evidences.all.push_back(std::move(evidence));
  }
  evidences.shapes = shapes.size();
  return evidences;
}

}  // namespace tunehub::buckets
