#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/bucket_merge.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/family/lookup_kinds.h"

namespace tunehub::buckets {
namespace {

constexpr std::string_view kSuffix = ".json", kDefault = "DEFAULT";

bool IsNumber(std::string_view text) {
  return !text.empty() && text.front() != '0' && std::ranges::all_of(text, core::IsDigit);
}

core::Error Wrong(std::string_view file, const std::string& why) {
  return {"bad_bucket_name", fmt::format("{}: {}", core::Excerpt(file, 200), why)};
}

constexpr int kMostIndent = 8;

bool IsAmong(std::span<const std::int64_t> bounds, std::int64_t bound) {
  return std::ranges::find(bounds, bound) != bounds.end();
}

// Returns the indent of the first member's line.
int IndentOf(std::string_view text) {
  const std::size_t member = text.find('"');
  const std::size_t line = text.rfind('\n', member);
  if (member == std::string_view::npos || line == std::string_view::npos) return 4;
  return static_cast<int>(std::clamp<std::size_t>(member - line - 1, 1, kMostIndent));
}

}  // namespace

std::string BucketName::File() const {
  std::string name = arch.empty() ? "" : arch + "-";
  name += config.empty() ? std::string(kDefault) : config;
  if (!sizes.empty()) name += "-" + core::Assignments(sizes, "-");
  return name + std::string(kSuffix);
}

core::Result<BucketName> ParseBucketName(std::string_view file) {
  if (!file.ends_with(kSuffix)) return Wrong(file, "expected a name that ends in .json");
  std::string_view stem = file.substr(0, file.size() - kSuffix.size());
  BucketName name;
  // Parse from the end, because a config's own name contains dashes.
  for (std::size_t dash = stem.rfind('-'); dash != std::string_view::npos; dash = stem.rfind('-')) {
    const std::string_view part = stem.substr(dash + 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) break;
    if (equals == 0 || !IsNumber(part.substr(equals + 1))) {
      return Wrong(file, fmt::format("'{}' at {}: expected NAME=NUMBER", part, dash + 2));
    }
    name.sizes.emplace(name.sizes.begin(), part.substr(0, equals), part.substr(equals + 1));
    stem = stem.substr(0, dash);
  }
  if (stem.find('=') != std::string_view::npos) {
    return Wrong(file, fmt::format("a size comes before '{}', but sizes must come last",
                                   stem.substr(stem.rfind('-') + 1)));
  }
  if (stem.starts_with("gfx") && stem.find('-') != std::string_view::npos) {
    name.arch = stem.substr(0, stem.find('-'));
    stem.remove_prefix(name.arch.size() + 1);
  }
  if (stem.empty()) return Wrong(file, "expected a config's name in the file's name");
  const bool is_default = name.arch.empty() && name.sizes.empty() && stem == kDefault;
  if (!is_default) name.config = stem;
  return name;
}

std::string KernelOf(std::string_view config) {
  std::string kernel = core::Lower(config);
  std::ranges::replace(kernel, '-', '_');
  return kernel;
}

bool AreAmong(const Sizes& some, const Sizes& all) {
  return std::ranges::all_of(
      some, [&](const auto& size) { return std::ranges::find(all, size) != all.end(); });
}

BucketKey KeyOf(std::string_view name) {
  if (name == core::kAnyBucket) return {BucketKind::kAny, 0};
  const auto bucket = core::ParseBucket(name);
  if (!bucket) return {};
  return {bucket->at_most ? BucketKind::kAtMost : BucketKind::kAtLeast, bucket->bound};
}

core::Result<BucketFile> BucketFile::Parse(std::string_view name, std::string_view text) {
  core::JsonErrors errors{std::string(name), "bad_bucket_file"};
  const auto document = core::ParseJson(text, errors);
  if (errors.any()) return errors.first();
  if (!document.is_object()) {
    errors.Add("", fmt::format("is {}; expected an object of buckets", document.type_name()));
    return errors.first();
  }
  BucketFile file({}, IndentOf(text));
  const auto members = core::JsonMembers(text);  // as text: a double cannot represent every number
  if (!members.ok()) return members.error();
  for (const core::JsonMember& member : *members) {
    const auto& value = document.at(member.name);
    if (KeyOf(member.name).kind != BucketKind::kOther && !value.is_object()) {
      errors.Add("/" + core::EscapedForPointer(member.name),
                 fmt::format("is {}; expected a config, which is an object", value.type_name()));
      return errors.first();
    }
    file.buckets_.push_back({member.name, core::WithoutBlanks(member.value)});
    if (member.name != core::kBoundsMember) continue;
    file.bounds_ = core::BoundsInJson(file.buckets_.back().config);
    if (!file.bounds_.empty()) continue;
    errors.Add("/" + member.name, core::BadBounds(member.value));
    return errors.first();
  }
  return file;
}

const Bucket* BucketFile::At(std::int64_t m, std::span<const std::int64_t> bounds) const {
  const Bucket *least = nullptr, *greatest = nullptr, *any = nullptr;
  std::int64_t least_bound = 0, greatest_bound = 0;
  for (const Bucket& bucket : buckets_) {
    const BucketKey key = KeyOf(bucket.name);
    if (key.kind == BucketKind::kAny) any = &bucket;
    if (key.kind == BucketKind::kAny || !IsAmong(bounds, key.bound)) continue;
    if (key.kind == BucketKind::kAtMost && m <= key.bound &&
        (least == nullptr || key.bound < least_bound)) {
      least = &bucket;
      least_bound = key.bound;
    }
    if (key.kind == BucketKind::kAtLeast && m >= key.bound && key.bound > greatest_bound) {
      greatest = &bucket;
      greatest_bound = key.bound;
    }
  }
  if (least != nullptr) return least;
  return greatest != nullptr ? greatest : any;
}

const Bucket* BucketFile::Find(std::string_view name) const {
  const auto found = std::ranges::find(buckets_, name, &Bucket::name);
  return found == buckets_.end() ? nullptr : &*found;
}

bool BucketFile::IsTried(std::string_view name, std::span<const std::int64_t> bounds) {
  const BucketKey key = KeyOf(name);
  if (key.kind == BucketKind::kAny) return true;
  return key.kind != BucketKind::kOther && IsAmong(bounds, key.bound);
}

void BucketFile::AddStarts(std::span<const std::int64_t> bounds,
                           std::set<std::int64_t>& starts) const {
  starts.insert(1);
  for (const Bucket& bucket : buckets_) {
    const BucketKey key = KeyOf(bucket.name);
    if (!IsAmong(bounds, key.bound)) continue;
    starts.insert(key.kind == BucketKind::kAtMost ? key.bound + 1 : key.bound);
  }
}

std::string BucketFile::Text() const {
  std::string members;
  for (const Bucket& bucket : buckets_) {
    members +=
        (members.empty() ? "" : ",") + nlohmann::json(bucket.name).dump() + ":" + bucket.config;
  }
  return core::IndentedJson("{" + members + "}", indent_) + "\n";
}

bool IsSameConfig(const std::string& a, const std::string& b) {
  return a == b || core::SureJson(a) == core::SureJson(b);
}

}  // namespace tunehub::buckets
