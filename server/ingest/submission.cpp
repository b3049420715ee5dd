#include "server/ingest/submission.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"
#include "server/ingest/evidence_rules.h"

namespace tunehub::server {
namespace {

// Collects the text of an object within a row.
class NestedText {
 public:
  bool open() const { return depth_ > 0; }
  bool Open(char bracket) {
    Separate();
    text_.push_back(bracket);
    ++depth_;
    first_ = true;
    return true;
  }
  bool Key(const std::string& name) {
    Separate();
    text_ += nlohmann::json(name).dump() + ":";
    first_ = true;  // no comma before the value
    return true;
  }
  bool Value(std::string_view json) {
    Separate();
    text_ += json;
    return true;
  }
  void Close(char bracket) {
    text_.push_back(bracket);
    --depth_;
    first_ = false;
  }
  std::string Take() { return std::exchange(text_, ""); }

 private:
  void Separate() {
    if (!first_ && depth_ > 0) text_.push_back(',');
    first_ = false;
  }

  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = true;
};

// Assigns each value to its column, and collects the evidence.
class RowsHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  RowsHandler(const core::Family& family, std::string_view body)
      : family_(family), body_(body), row_(Blank()), given_(family.columns.size(), false) {}

  bool null() override { return Value("", {"null"}); }
  bool boolean(bool value) override {
    if (bool* const mark = in_row_ && !in_samples_ ? Mark() : nullptr) {
      *mark = value;
      return true;
    }
    return Value(value ? "True" : "False", {value ? "true" : "false"});
  }
  bool number_integer(number_integer_t value) override {
    return Number(std::to_string(value), static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Number(std::to_string(value), static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return Number(text, value);
  }
  // A control character or a leading '#' refuses the whole body, since a table would read it as a
  // line's end or a comment. A DEL refuses only its row.
  bool string(string_t& value) override {
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
    if (std::any_of(value.begin(), value.end(), control))
      return Fail("a text contains a control character");
    if (value.starts_with('#')) return Fail("a text begins with '#'");
    return Value(value, {.json = nlohmann::json(value).dump(), .is_text = true});
  }
  bool binary(binary_t&) override { return Fail("JSON allows no binary values"); }

  bool start_object(std::size_t) override {
    if (in_row_ && (nested_.open() || IsJsonColumn())) return nested_.Open('{');
    if (in_row_) return Fail("a row contains an object");
    if (!in_rows_) {
      if (wrapped_) return Fail("the rows must be an array");
      wrapped_ = true;
      return true;
    }
    in_row_ = true;
    row_ = Blank();
    names_.clear();
    return true;
  }
  bool key(string_t& name) override {
    if (nested_.open()) return nested_.Key(name);
    if (!in_row_ && name != "rows")
      return Fail(fmt::format("unknown member '{}'; expected \"rows\"", name));
    if (!in_row_) return !seen_rows_ || Fail("rows: occurs twice");
    name_ = name;
    if (std::ranges::find(names_, name) != names_.end())
      return Fail(fmt::format("{}: occurs twice", core::Excerpt(name)));
    names_.push_back(name);
    return true;
  }
  bool end_object() override {
    if (nested_.open()) return CloseNested('}');
    if (!in_row_) return true;
    in_row_ = false;
    return FinishRow();
  }
  bool start_array(std::size_t) override {
    if (nested_.open()) return nested_.Open('[');
    if (in_row_ && name_ == "samples" && !in_samples_) {
      in_samples_ = true;
      return true;
    }
    if (in_row_ || in_rows_) return Fail("expected a value, but found an array");
    in_rows_ = true;
    return true;
  }
  bool end_array() override {
    if (nested_.open()) return CloseNested(']');
    if (!in_samples_) {
      in_rows_ = false;
      seen_rows_ = true;
      return true;
    }
    in_samples_ = false;
    evidence_.EndSamples();
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    error_ = core::FindOverflow(body_).value_or(
        core::Error{"bad_json", fmt::format("byte {}: {}", position, error.what())});
    return false;
  }

  const core::Error& error() const { return error_; }
  bool seen_rows() const { return seen_rows_; }

  JsonRows Take() { return {std::move(rows_), std::move(given_)}; }

 private:
  JsonRow Blank() const { return {std::vector<std::string>(family_.columns.size()), "", {}}; }

  bool Number(const std::string& text, double value) { return Value(text, {text, value}); }

  bool Value(std::string text, const EvidenceValue& value) {
    if (!in_row_) return Fail("expected a row, but found a value");
    if (nested_.open()) return nested_.Value(value.json);
    if (in_samples_) return Judged(evidence_.AddSample(value));
    if (Evidence::IsMember(name_)) return Judged(evidence_.Add(name_, value));
    if (Mark() != nullptr) {
      return Fail(fmt::format("{}: {} must be true or false", name_, core::Excerpt(value.json)));
    }
    const std::size_t column = family_.Find(name_);
    if (column == core::kNoColumn) {
      const std::string name(core::Excerpt(name_));
      return Refuse("unknown_column", fmt::format("{} has no column '{}'", family_.name, name),
                    name);
    }
    row_.cells[column] = std::move(text);
    given_[column] = true;
    return true;
  }

  // Returns the mark with the name `name_`; null: there is none.
  bool* Mark() {
    if (name_ == "is_default") return &row_.marks.is_default;
    return name_ == "searched" ? &row_.marks.searched : nullptr;
  }

  bool IsJsonColumn() const {
    const std::size_t column = family_.Find(name_);
    return !in_samples_ && column != core::kNoColumn && core::IsJson(family_.columns[column].type);
  }

  bool CloseNested(char close) {
    nested_.Close(close);
    if (nested_.open()) return true;
    const std::size_t column = family_.Find(name_);
    row_.cells[column] = nested_.Take();
    given_[column] = true;
    return true;
  }

  // Reports an error of the evidence that `name_` names.
  bool Judged(const core::Status& status) {
    return status.ok() || Refuse(status.error().code.c_str(), status.error().detail, name_);
  }

  bool FinishRow() {
    const bool blank = std::ranges::all_of(row_.cells, [](const std::string& it) {
      return it.find_first_not_of(' ') == std::string::npos;
    });
    if (blank) return Fail("the row is empty");
    if (rows_.size() == kMaxRows) {  // checked before the whole body is in memory
      error_ = {"too_many_rows", fmt::format("more than {} rows", kMaxRows)};
      return false;
    }
    row_.evidence = evidence_.Take();
    rows_.push_back(std::move(row_));
    return true;
  }

  bool Fail(const std::string& what) { return Refuse("bad_json", what, ""); }

  // Reports an error of the current row.
  bool Refuse(const char* code, const std::string& what, const std::string& column) {
    const std::size_t row = rows_.size() + 1;
    error_ = {code, fmt::format("row {}: {}", row, what), {.row = row, .column = column}};
    return false;
  }

  const core::Family& family_;
  const std::string_view body_;
  JsonRow row_;  // the current row
  std::vector<JsonRow> rows_;
  std::vector<bool> given_;
  std::string name_;
  std::vector<std::string> names_;  // members of the row so far
  Evidence evidence_;               // belongs to the current row
  NestedText nested_;               // the text of a json column
  bool wrapped_ = false, in_rows_ = false, in_row_ = false, in_samples_ = false, seen_rows_ = false;
  core::Error error_{"bad_json", "expected JSON as the body"};
};

}  // namespace

core::Result<JsonRows> ReadJsonRows(const core::Family& family, std::string_view body) {
  RowsHandler handler(family, body);
  if (core::HoldsZero(body))
    return core::Error{"bad_json", "expected JSON as the body, but a byte is zero"};
  if (!nlohmann::json::sax_parse(body, &handler)) return handler.error();
  if (!handler.seen_rows()) return core::Error{"bad_json", "\"rows\" is missing in the body"};
  return handler.Take();
}

namespace {

// Parses and judges JSON rows with the reader of CSV tables. The given columns are the header. A
// row's line number is its index in the array.
core::Result<core::TunedTable> TypeRows(const core::Family& family, const core::Targets& targets,
                                        const JsonRows& json, double error_limit) {
  std::vector<std::size_t> columns;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < json.given.size(); ++i) {
    if (!json.given[i]) continue;
    columns.push_back(i);
    names.push_back(family.columns[i].name);
  }
  if (names.empty()) return core::Error{"empty_table", "the table has no header"};
  const auto header = core::MapHeader(family, names);
  if (!header.ok()) return header.error();
  core::TunedRows rows(family, targets, *header, {.error_limit = error_limit, .upstream = false});
  const std::size_t most = core::MaxFieldBytes(family);
  core::CsvRecord record;
  for (const JsonRow& row : json.rows) {
    ++record.line;
    record.fields.clear();
    for (const std::size_t column : columns) {
      record.fields.push_back(row.cells[column]);
      const std::size_t bytes = row.cells[column].size();
      // Counts lines as in a table, in which the header is line 1.
      if (bytes > most)
        return core::FieldTooLong(record.line + 1, record.fields.size(), bytes, most);
    }
    rows.Add(record);
  }
  return rows.Take();
}

}  // namespace

core::Result<Submission> ReadCsvSubmission(const core::Family& family, const core::Targets& targets,
                                           std::string_view body, double error_limit) {
  auto table = core::ReadTunedTable(
      family, targets, body, {.max_rows = kMaxRows, .error_limit = error_limit, .upstream = false});
  if (!table.ok()) return table.error();
  return Submission{*std::move(table), {}, {}};
}

core::Result<Submission> ReadJsonSubmission(const core::Family& family,
                                            const core::Targets& targets, std::string_view body,
                                            double error_limit) {
  auto json = ReadJsonRows(family, body);
  if (!json.ok()) return json.error();
  auto table = TypeRows(family, targets, *json, error_limit);
  if (!table.ok()) return table.error();
  Submission submission{*std::move(table), {}, {}};
  for (core::Row& row : submission.table.rows) {
    JsonRow& from = json->rows[row.source_line - 1];
    JudgeEvidence(from.evidence, from.marks.is_default, row);
    submission.evidence.push_back(std::move(from.evidence));
    submission.marks.push_back(from.marks);
  }
  return submission;
}

}  // namespace tunehub::server
