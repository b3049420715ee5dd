#include "server/ingest/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/excerpt.h"
#include "core/table/csv.h"

namespace tunehub::server {
namespace {

constexpr std::string_view kSamples = "samples";
constexpr std::string_view kMicroseconds[] = {"us_hot", "us_cold"};
constexpr std::string_view kTexts[] = {"timing", "status", "reason"};

bool IsOneOf(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

core::Error Bad(std::string_view place, const EvidenceValue& value, std::string_view why) {
  return {"bad_evidence", fmt::format("{}: {} {}", place, core::Excerpt(value.json), why)};
}

bool IsTime(const EvidenceValue& value) {
  return value.number && *value.number >= kLeastSample && *value.number <= kMostSample;
}

core::Error NoTime(std::string_view place, const EvidenceValue& value) {
  if (!value.number) return Bad(place, value, "is no number");
  return Bad(place, value,
             fmt::format("is not within {}..{} microseconds", kLeastSample, kMostSample));
}

}  // namespace

bool Evidence::IsMember(std::string_view name) {
  return name == kSamples || IsOneOf(kMicroseconds, name) || IsOneOf(kTexts, name);
}

core::Status Evidence::Add(std::string_view name, const EvidenceValue& value) {
  if (IsOneOf(kMicroseconds, name))
    return IsTime(value) ? Append(name, fmt::format("{}", *value.number)) : NoTime(name, value);
  if (name == kSamples) return Bad(name, value, "is no array of numbers");
  if (!value.is_text) return Bad(name, value, "is no text");
  if (value.json.size() <= core::kMaxFieldBytes) return Append(name, value.json);
  return core::Error{"bad_evidence", fmt::format("{}: {} bytes, the limit is {}", name,
                                                 value.json.size(), core::kMaxFieldBytes)};
}

core::Status Evidence::AddSample(const EvidenceValue& value) {
  if (sample_count_ == kMaxSamples)
    return core::Error{"bad_evidence", fmt::format("samples: more than {}", kMaxSamples)};
  if (!IsTime(value)) return NoTime(fmt::format("samples[{}]", sample_count_), value);
  // The shortest text: of a number of many digits the hub keeps no more than a double holds.
  fmt::format_to(std::back_inserter(samples_), "{}{}", sample_count_++ == 0 ? "" : ",",
                 *value.number);
  return core::Ok();
}

core::Status Evidence::EndSamples() {
  sample_count_ = 0;
  return Append(kSamples, "[" + std::exchange(samples_, "") + "]");
}

core::Status Evidence::Append(std::string_view name, std::string_view json) {
  text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "{" : ",", name, json);
  return core::Ok();
}

std::string Evidence::Take() {
  if (!text_.empty()) text_ += "}";
  return std::exchange(text_, "");
}

}  // namespace tunehub::server
