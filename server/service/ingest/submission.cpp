#include "server/service/ingest/submission.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/excerpt.h"
#include "core/base/json_overflow.h"
#include "core/table/csv.h"

namespace tunehub::service {
namespace {

// What a JSON row may hold beside the family's columns.
bool IsEvidence(std::string_view name) {
  constexpr std::string_view kNames[] = {"samples", "timing", "status",
                                         "reason",  "us_hot", "us_cold"};
  return std::ranges::count(kNames, name) > 0;
}

struct Mark {
  std::string_view name;
  bool RowMarks::*member;
};
constexpr Mark kMarks[] = {{"is_default", &RowMarks::is_default},
                           {"searched", &RowMarks::searched}};

const Mark* FindMark(std::string_view name) {
  const auto found = std::ranges::find(kMarks, name, &Mark::name);
  return found == std::end(kMarks) ? nullptr : found;
}

// Turns the rows into a CSV of all the family's columns, so that both formats are typed and judged
// by one reader, and collects the evidence beside.
class RowsHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  RowsHandler(const core::Family& family, std::string_view body)
      : family_(family),
        body_(body),
        cells_(family.columns.size()),
        used_(family.columns.size(), false) {}

  bool null() override { return Value("", "null"); }
  bool boolean(bool value) override {
    if (const Mark* mark = in_row_ && !in_samples_ ? FindMark(name_) : nullptr; mark != nullptr) {
      marks_.*mark->member = value;
      return true;
    }
    return Value(value ? "True" : "False", value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override {
    return Value(std::to_string(value), std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Value(std::to_string(value), std::to_string(value));
  }
  bool number_float(number_float_t, const string_t& text) override { return Value(text, text); }
  // Neither stands in any table: a line feed would shift the lines that the table's reader counts,
  // and a leading '#' make a comment of the row. A DEL does neither, and is that row's mistake
  // alone.
  bool string(string_t& value) override {
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
    if (std::any_of(value.begin(), value.end(), control))
      return Fail("a text has a control character");
    if (value.starts_with('#')) return Fail("a text begins with '#'");
    return Value(value, nlohmann::json(value).dump());
  }
  bool binary(binary_t&) override { return Fail("binary values are no JSON"); }

  bool start_object(std::size_t) override {
    if (in_row_) return Fail("an object stands within a row");
    if (!in_rows_) {
      if (wrapped_) return Fail("the rows must be an array");
      wrapped_ = true;
      return true;
    }
    in_row_ = true;
    std::fill(cells_.begin(), cells_.end(), "");
    evidence_.clear();
    marks_ = {};
    return true;
  }
  bool key(string_t& name) override {
    if (!in_row_) return name == "rows" || Fail("'" + name + "' is unknown, only \"rows\" is read");
    name_ = name;
    return true;
  }
  bool end_object() override {
    if (!in_row_) return true;
    in_row_ = false;
    return FinishRow();
  }
  bool start_array(std::size_t) override {
    if (in_row_ && name_ == "samples" && !in_samples_) {
      in_samples_ = true;
      samples_ = "[";
      return true;
    }
    if (in_row_ || in_rows_) return Fail("an array stands where a value is wanted");
    in_rows_ = true;
    return true;
  }
  bool end_array() override {
    if (!in_samples_) {
      in_rows_ = false;
      seen_rows_ = true;
      return true;
    }
    in_samples_ = false;
    return AddEvidence("samples", samples_ + "]");
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    error_ = core::FindOverflow(body_).value_or(
        core::Error{"bad_json", "byte " + std::to_string(position) + ": " + error.what()});
    return false;
  }

  const core::Error& error() const { return error_; }
  bool seen_rows() const { return seen_rows_; }

  // The columns that some row gave. A blank row would be skipped, so a row always has a key.
  std::string Table() const {
    std::string table;
    bool first = true;
    for (std::size_t i = 0; i < family_.columns.size(); ++i) {
      if (!used_[i]) continue;
      if (!first) table.push_back(',');
      first = false;
      table += family_.columns[i].name;
    }
    table.push_back('\n');
    for (const auto& row : rows_) AppendRow(table, row);
    return table;
  }
  std::vector<std::string> TakeEvidence() { return std::move(evidences_); }
  const std::vector<RowMarks>& marks() const { return all_marks_; }
  std::size_t rows() const { return rows_.size(); }

 private:
  bool Value(std::string text, const std::string& json) {
    if (!in_row_) return Fail("a value stands where a row is wanted");
    if (in_samples_) {
      if (samples_.size() > 1) samples_.push_back(',');
      samples_ += json;
      return true;
    }
    if (IsEvidence(name_)) return AddEvidence(name_, json);
    if (FindMark(name_) != nullptr) {
      return Fail(name_ + ": " + std::string(core::Excerpt(json)) + " is neither true nor false");
    }
    const std::size_t column = family_.Find(name_);
    if (column == core::kNoColumn) {
      const std::string name(core::Excerpt(name_));
      return Refuse("unknown_column", family_.name + " has no column '" + name + "'", name);
    }
    cells_[column] = std::move(text);
    used_[column] = true;
    return true;
  }

  bool AddEvidence(const std::string& name, const std::string& json) {
    evidence_ += evidence_.empty() ? "{" : ",";
    evidence_ += nlohmann::json(name).dump() + ":" + json;
    return true;
  }

  bool FinishRow() {
    const bool blank = std::all_of(cells_.begin(), cells_.end(), [](const std::string& it) {
      return it.find_first_not_of(' ') == std::string::npos;
    });
    if (blank) return Fail("the row is empty");
    if (rows_.size() == kMaxRows) {  // here, before as many as the body holds are in memory
      error_ = {"too_many_rows", "more than " + std::to_string(kMaxRows) + " rows"};
      return false;
    }
    rows_.push_back(cells_);
    evidences_.push_back(evidence_.empty() ? "" : evidence_ + "}");
    all_marks_.push_back(marks_);
    return true;
  }

  void AppendRow(std::string& table, const std::vector<std::string>& row) const {
    bool first = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!used_[i]) continue;
      if (!first) table.push_back(',');
      first = false;
      core::AppendCsvField(table, row[i]);
    }
    table.push_back('\n');
  }

  bool Fail(const std::string& what) { return Refuse("bad_json", what, ""); }

  // Of the row that is read now.
  bool Refuse(const char* code, const std::string& what, const std::string& column) {
    const std::size_t row = rows_.size() + 1;
    error_ = {code, "row " + std::to_string(row) + ": " + what, {.row = row, .column = column}};
    return false;
  }

  const core::Family& family_;
  const std::string_view body_;
  std::vector<std::string> cells_;
  std::vector<bool> used_;  // given in some row
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> evidences_;
  std::vector<RowMarks> all_marks_;
  RowMarks marks_;
  std::string name_, evidence_, samples_;
  bool wrapped_ = false, in_rows_ = false, in_row_ = false, in_samples_ = false, seen_rows_ = false;
  core::Error error_{"bad_json", "the body is no JSON"};
};

// The table's line of a JSON row is one behind its place: the header is line 1.
void CountFromOne(std::vector<core::RowIssue>& issues) {
  for (core::RowIssue& issue : issues) --issue.line;
}

}  // namespace

core::Result<Submission> ReadCsvSubmission(const core::Family& family, const core::Targets& targets,
                                           std::string_view body,
                                           std::optional<double> error_limit) {
  auto table = core::ReadTunedTable(family, targets, body,
                                    {.max_rows = kMaxRows, .error_limit = error_limit});
  if (!table.ok()) return table.error();
  Submission submission{*std::move(table), {}, {}};
  submission.evidence.resize(submission.table.rows.size());
  submission.marks.resize(submission.table.rows.size());
  return submission;
}

core::Result<Submission> ReadJsonSubmission(const core::Family& family,
                                            const core::Targets& targets, std::string_view body,
                                            std::optional<double> error_limit) {
  RowsHandler handler(family, body);
  if (!nlohmann::json::sax_parse(body, &handler)) return handler.error();
  if (!handler.seen_rows()) return core::Error{"bad_json", "the body has no \"rows\""};
  auto table = core::ReadTunedTable(family, targets, handler.Table(),
                                    {.max_rows = kMaxRows, .error_limit = error_limit});
  if (!table.ok()) return table.error();
  const std::vector<std::string> all = handler.TakeEvidence();
  Submission submission{*std::move(table), {}, {}};
  for (core::Row& row : submission.table.rows) {
    submission.evidence.push_back(all[row.source_line - 2]);
    submission.marks.push_back(handler.marks()[row.source_line - 2]);
    --row.source_line;
  }
  CountFromOne(submission.table.rejected);
  CountFromOne(submission.table.warnings);
  return submission;
}

}  // namespace tunehub::service
