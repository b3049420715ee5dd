// What a JSON row says of its measurement beside the family's columns: read, printed again, and
// what follows from it for the row (docs/trust.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/row/row.h"

namespace tunehub::server {

// An agent takes 20 samples of a finalist; nobody learns more from thousands.
inline constexpr std::size_t kMaxSamples = 1000;
// Microseconds, from below one period of light to eleven days. jsonb keeps a number digit by digit:
// 1e-300 would be 302 bytes in each answer.
inline constexpr double kLeastSample = 1e-9, kMostSample = core::kMostUs;

// One value of a JSON text.
struct EvidenceValue {
  std::string_view json;              // as it was sent
  std::optional<double> number = {};  // of a number
  bool is_text = false;
};

// The evidence of one row: samples, us_hot, us_cold (microseconds within kLeastSample..kMostSample)
// and timing, status, reason (texts of at most core::kMaxFieldBytes). Errors bad_evidence name the
// member, the place in an array from 0, and the value.
class Evidence {
 public:
  static bool IsMember(std::string_view name);

  core::Status Add(std::string_view name, const EvidenceValue& value);
  core::Status AddSample(const EvidenceValue& value);
  void EndSamples();

  // JSON; "": nothing was said. The next row begins.
  std::string Take();

 private:
  void Append(std::string_view name, std::string_view json);

  std::string text_, samples_;
  std::size_t sample_count_ = 0;
};

// A competing row is unfinished where its evidence, a JSON object or "", has a status other than
// "ok", or samples and fewer than core::kLeastSamples. Else it is compared where its timing is
// that of AITER's whole operator, and so is a default that names no kernel.
void JudgeEvidence(std::string_view evidence, bool is_default, core::Row& row);

}  // namespace tunehub::server
