// The text of one cell: what it may be, and the one form in which equal values are equal texts.
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

// "", and what pandas and AITER's tuners write for nothing: nan, NaN, None, Null, NULL, null, N/A,
// <NA>.
bool IsMissingWord(std::string_view text);  // of these words one
inline bool IsMissing(std::string_view text) {
  // Asked of every cell: nearly all begin with something else.
  if (text.empty()) return true;
  const char first = text.front();
  return (first == 'n' || first == 'N' || first == '<') && IsMissingWord(text);
}

std::optional<std::int64_t> ParseInt64(std::string_view text);  // also "80.0"; not "80.5"
std::optional<int> ParseInt(std::string_view text);
std::optional<double> ParseNumber(std::string_view text);  // also inf and nan
std::optional<double> ParseError(std::string_view text);   // "0.038" or "3.8%", as a share

// Keeps texts that had to be rewritten; cleared per row.
using Scratch = std::deque<std::string>;

// A kernel, a tag, a device or a word of a key; the longest of AITER's kernels has 340.
inline constexpr std::size_t kMaxNameBytes = 400;
// A document; AITER's largest Triton config has 25 KiB without its blanks.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{256} << 10;
// AITER's tuners write a name that begins so for a candidate that could not run.
inline constexpr std::string_view kFailedKernel = "FAILED";

// The canonical text of `text` in `column`; "" where the cell is missing and may be. Text that is
// not rewritten is returned as it is. Errors carry a stable code (not_an_integer, out_of_range,
// not_a_number, not_a_boolean, not_a_flag, not_in_enum, bad_gfx, bad_text, empty_key, bad_json,
// not_an_object, twice_in_object) and a detail
// with the value and what is allowed.
Result<std::string_view> CanonicalCell(const Column& column, std::string_view text,
                                       Scratch& scratch);

// The same with what the text says, for those who would read it again.
struct TypedCell {
  TypedCell(std::string_view canonical) : text(canonical) {}

  std::string_view text;
  std::int64_t integer = 0;                                  // of an integer column
  double number = std::numeric_limits<double>::quiet_NaN();  // of a number or (a share) an error
};
Result<TypedCell> TypeCell(const Column& column, std::string_view text, Scratch& scratch);

// "gfx942:sramecc+:xnack-" -> "gfx942"; nothing where it is no target name (1 to 32 of [a-z0-9_-]).
std::optional<std::string_view> CanonicalGfx(std::string_view text);

}  // namespace tunehub::core
