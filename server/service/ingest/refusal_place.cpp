#include "server/service/ingest/refusal_place.h"

#include <charconv>
#include <optional>
#include <string>

#include "core/table/csv.h"

namespace tunehub::service {
namespace {

// The number after `lead`, where the text begins so; takes both off the text.
std::optional<std::size_t> TakeNumber(std::string_view& text, std::string_view lead) {
  if (!text.starts_with(lead)) return std::nullopt;
  const char* const begin = text.data() + lead.size();
  std::size_t number = 0;
  const auto parsed = std::from_chars(begin, text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return number;
}

std::string NameOfField(std::string_view csv, std::size_t field) {
  core::CsvReader reader(csv);
  core::CsvRecord header;
  const auto read = reader.Next(header);
  if (!read.ok() || !*read || field == 0 || field > header.fields.size()) return "";
  return std::string(header.fields[field - 1]);
}

// The errors about a header name the column: "... the column 'N' ...", "... no column 'speed' ...".
std::string QuotedColumn(std::string_view detail) {
  constexpr std::string_view kLead = "column '";
  const std::size_t lead = detail.find(kLead);
  if (lead == std::string_view::npos) return "";
  const std::string_view rest = detail.substr(lead + kLead.size());
  return std::string(rest.substr(0, rest.find('\'')));
}

}  // namespace

std::vector<core::RowIssue> PlaceOfRefusal(const core::Error& error, std::string_view csv) {
  std::string_view rest = error.detail;
  auto row = TakeNumber(rest, "line ");
  if (!row) row = TakeNumber(rest, "row ");
  if (!row) return {};
  const auto field = TakeNumber(rest, ", field ");
  return {{*row, field ? NameOfField(csv, *field) : QuotedColumn(rest), error.code, error.detail}};
}

}  // namespace tunehub::service
