#include "core/buckets/bucket_plan.h"

#include <algorithm>
#include <map>

namespace tunehub::buckets {
namespace {

// M_LEQ by bound, M_GEQ by bound, any.
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

// Nothing: no M comes to it yet; null within: nothing is there, or not the same for all its M.
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

}  // namespace

std::vector<PlannedBucket> PlanBuckets(const BucketFile& old_file, const BucketFile& new_file,
                                       std::span<const std::int64_t> bounds) {
  std::vector<std::string> names = AllNames(old_file, new_file, bounds);
  for (;;) {
    auto reached = Reach(names, old_file, new_file, bounds);
    // One that is the old file's own never varies: the plan has every bound that the old file has.
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
  std::vector<std::string> names;
  for (const PlannedBucket& bucket : plan) names.push_back(bucket.name);
  const BucketFile outline = Outline(names);
  const Bucket* found = outline.At(m, bounds);
  return found == nullptr ? plan.size()
                          : static_cast<std::size_t>(found - outline.buckets().data());
}

}  // namespace tunehub::buckets
