// Checks a cell's text and makes it canonical: equal values get equal texts.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::core {

// True for "" and for the words that pandas and AITER's tuners write for a missing value: nan, NaN,
// None, Null, NULL, null, N/A, NA, <NA>.
bool IsMissingWord(std::string_view text);  // only the words
inline bool IsMissing(std::string_view text) {
  // Fast path: readers test every cell, and few cells begin like one of these words.
  if (text.empty()) return true;
  const char first = text.front();
  return (first == 'n' || first == 'N' || first == '<') && IsMissingWord(text);
}

std::optional<std::int64_t> ParseInt64(std::string_view text);  // also "80.0"; not "80.5"
std::optional<int> ParseInt(std::string_view text);
std::optional<double> ParseNumber(std::string_view text);  // also inf and nan
std::optional<double> ParseError(std::string_view text);   // "0.038" or "3.8%", as a fraction

// Owns the cell texts that a reader rewrote. The reader clears it for each row.
using Scratch = std::deque<std::string>;

// The limit for a kernel's name, a tag, a device's name or a word of a shape. AITER's longest
// kernel name has 340 bytes.
inline constexpr std::size_t kMaxNameBytes = 400;
// The limit for a document. AITER's largest Triton config has 25 KiB without blanks.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{256} << 10;
// The beginning of the kernel name that AITER's tuners write for a candidate that could not run.
inline constexpr std::string_view kFailedKernel = "FAILED";

// Returns the canonical text of `text` in `column`; "" for a missing cell that may be empty. If the
// text is already canonical, the result points into the input. Each error contains the value and
// the allowed values. Errors: not_an_integer, out_of_range, not_a_number, not_a_boolean,
// not_a_flag, not_in_enum, bad_gfx, bad_text, empty_key, bad_json, not_an_object, twice_in_object,
// too_large, bad_config.
Result<std::string_view> CanonicalCell(const Column& column, std::string_view text,
                                       Scratch& scratch);

// A cell's canonical text and its parsed value.
struct TypedCell {
  TypedCell(std::string_view canonical) : text(canonical) {}

  std::string_view text;
  std::int64_t integer = 0;                                  // value of an integer column
  double number = std::numeric_limits<double>::quiet_NaN();  // value of a number or error column
};
Result<TypedCell> TypeCell(const Column& column, std::string_view text, Scratch& scratch);

// "gfx942:sramecc+:xnack-" -> "gfx942". Returns nullopt for an invalid target name (valid: 1 to 32
// of [a-z0-9_-]).
std::optional<std::string_view> CanonicalGfx(std::string_view text);

}  // namespace tunehub::core
