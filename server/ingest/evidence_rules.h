// Evidence is the members of a JSON row besides the family's columns. Reads and prints evidence,
// and judges the row by it (docs/trust.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/row/row.h"

namespace tunehub::server {

// The most samples of a measurement. Agents take 20 samples of a finalist. Thousands of samples
// would add no information.
inline constexpr std::size_t kMaxSamples = 1000;
// Limits of a sample, in microseconds. The lower limit keeps answers short: jsonb writes every
// digit, so 1e-300 would take 302 bytes in each answer.
inline constexpr double kLeastSample = 1e-9, kMostSample = core::kMostUs;

// One value of a JSON text.
struct EvidenceValue {
  std::string_view json;              // the text as sent
  std::optional<double> number = {};  // absent: not a number
  bool is_text = false;
};

// The evidence of one row. Samples and the us_* are microseconds within kLeastSample..kMostSample.
// All other members are texts of at most core::kMaxFieldBytes. Errors: bad_evidence, with the
// member, the array index (from 0) and the value.
class Evidence {
 public:
  static bool IsMember(std::string_view name);

  core::Status Add(std::string_view name, const EvidenceValue& value);
  core::Status AddSample(const EvidenceValue& value);
  void EndSamples();

  // Returns the row's evidence as JSON ("": none) and begins the next row.
  std::string Take();

 private:
  void Append(std::string_view name, std::string_view json);

  std::string text_, samples_;
  std::size_t sample_count_ = 0;
};

// Sets the bounds of the row's time by its `evidence` (a JSON object or ""), and judges a competing
// row:
// - unfinished: the status is not "ok", or there are fewer than core::kLeastSamples samples
// - implausible: the time contradicts the samples
// - compared: a time of AITER's whole operator, or a default without a kernel's name
void JudgeEvidence(std::string_view evidence, bool is_default, core::Row& row);

}  // namespace tunehub::server
