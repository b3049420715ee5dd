#include "agent/base/terminal.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/process.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

// The least time before an estimate. The first candidates do not predict the time of a whole table.
constexpr std::chrono::seconds kLeastTime{2};
constexpr double kLeastShare = 0.001;
// The longest estimate. A longer estimate would be worthless.
constexpr double kMostSeconds = 100.0 * 24 * 3600;

constexpr char kRed[] = "\033[31m", kUncoloured[] = "\033[0m";

PlainBuffer* BufferOf(std::ostream& out) {
  return dynamic_cast<PlainBuffer*>(out.rdbuf());
}

// The command line sets it, before any thread starts.
NoteOptions& OwnNotes() {
  static NoteOptions notes;
  return notes;
}

// The number of characters of a text in UTF-8.
std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

PlainBuffer::~PlainBuffer() {
  HandOn(waiting_.size());
}

PlainBuffer::int_type PlainBuffer::overflow(int_type c) {
  const char byte = traits_type::to_char_type(c);
  return traits_type::eq_int_type(c, traits_type::eof()) || xsputn(&byte, 1) == 1
             ? traits_type::not_eof(c)
             : traits_type::eof();
}

std::streamsize PlainBuffer::xsputn(const char* text, std::streamsize size) {
  const std::string_view more(text, static_cast<std::size_t>(size));
  const std::size_t end = more.rfind('\n');
  const std::size_t whole = end == std::string_view::npos ? 0 : waiting_.size() + end + 1;
  waiting_ += more;
  return HandOn(whole) ? size : 0;
}

int PlainBuffer::sync() {
  return HandOn(waiting_.size()) && to_.flush() ? 0 : -1;
}

bool PlainBuffer::HandOn(std::size_t bytes) {
  std::string text = core::PlainText(std::string_view(waiting_).substr(0, bytes), "\n\t");
  waiting_.erase(0, bytes);
  if (stamped_) text = Stamped(text);
  if (!quiet_ || errors_ > 0) to_ << text;
  return to_.good();
}

std::string PlainBuffer::Stamped(std::string_view text) {
  std::string stamped;
  for (const char c : text) {
    if (line_begins_) stamped += core::UtcText(std::chrono::system_clock::now()) + ' ';
    line_begins_ = c == '\n';
    stamped += c;
  }
  return stamped;
}

void PlainBuffer::SetError(bool error) {
  HandOn(waiting_.size());
  errors_ += error ? 1 : -1;
  if (colour_) to_ << (errors_ > 0 ? kRed : kUncoloured);
}

std::ostream& BeginError(std::ostream& out) {
  if (PlainBuffer* const buffer = BufferOf(out)) buffer->SetError(true);
  return out;
}

std::ostream& EndError(std::ostream& out) {
  if (PlainBuffer* const buffer = BufferOf(out)) buffer->SetError(false);
  return out;
}

void StampLines(std::ostream& out) {
  if (PlainBuffer* const buffer = BufferOf(out)) buffer->SetStamped();
}

bool ShowsColour(int descriptor) {
  return ::isatty(descriptor) == 1 && core::Environment("NO_COLOR").empty();
}

void SetNotes(NoteOptions notes, std::ostream& err) {
  OwnNotes() = notes;
  if (PlainBuffer* const buffer = BufferOf(err)) buffer->SetQuiet(notes.quiet);
}

const NoteOptions& Notes() {
  return OwnNotes();
}

std::FILE* NotesFile() {
  static std::FILE* const nowhere = std::fopen("/dev/null", "w");
  return Notes().quiet && nowhere != nullptr ? nowhere : stderr;
}

void PrintColumns(std::ostream& out, const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths;
  for (const TextRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  for (const TextRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - WidthOf(row[i]) + 2, ' ');
    }
    out << line << '\n';
  }
}

void Eta::Done(double done, double total) {
  if (!begun_ || done < done_) {
    begun_ = now_();
    first_ = done;
  }
  done_ = done;
  total_ = total;
}

std::optional<std::chrono::seconds> Eta::Left() const {
  if (!begun_ || total_ <= first_) return std::nullopt;
  const std::chrono::duration<double> took = now_() - *begun_;
  const double share = (done_ - first_) / (total_ - first_);
  if (took < kLeastTime || share < kLeastShare) return std::nullopt;
  const double left = took.count() / share * (1 - share);
  if (left > kMostSeconds) return std::nullopt;
  return std::chrono::seconds(std::llround(std::max(left, 0.0)));
}

std::string Eta::Text() const {
  const auto left = Left();
  return left ? fmt::format(", {} left", DurationText(*left)) : "";
}

std::string DurationText(std::chrono::seconds duration) {
  struct Unit {
    long long seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{24 * 3600, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  long long rest = duration.count();
  std::string text;
  for (const Unit& unit : kUnits) {
    const bool second = !text.empty();
    const long long count = rest / unit.seconds;
    rest %= unit.seconds;
    if (count > 0) text += fmt::format("{}{} {}", second ? " " : "", count, unit.name);
    if (second) return text;  // a text has at most two units
  }
  return text.empty() ? "0 s" : text;
}

std::string KeyOfLine(const core::Family& family, std::string_view line) {
  std::string scratch, text;
  const core::Cells cells = core::SplitLine(line, scratch);
  for (const std::size_t column : family.key_columns) {
    if (column >= cells.size() || cells[column].empty()) continue;
    text.append(text.empty() ? "" : " ").append(family.columns[column].name).append("=");
    text.append(cells[column]);
  }
  return text;
}

void PrintByCode(std::ostream& out, std::string_view what, const std::vector<Remark>& remarks,
                 std::size_t most) {
  std::map<std::string_view, std::vector<const Remark*>> by_code;
  for (const Remark& remark : remarks) by_code[remark.issue.code].push_back(&remark);
  for (const auto& [code, rows] : by_code) {
    out << BeginError << "  " << what << ' ' << code << EndError << ": " << rows.size() << '\n';
    for (std::size_t i = 0; i < rows.size() && i < most; ++i) {
      const core::RowIssue& issue = rows[i]->issue;
      out << "    " << rows[i]->file << ':' << issue.line << ": ";
      if (!issue.column.empty()) out << issue.column << ": ";
      out << issue.detail << '\n';
    }
    if (rows.size() > most) out << "    and " << rows.size() - most << " more (--all)\n";
  }
}

nlohmann::ordered_json ToJson(const Remark& remark) {
  return {{"file", remark.file},
          {"line", remark.issue.line},
          {"column", remark.issue.column},
          {"code", remark.issue.code},
          {"detail", remark.issue.detail}};
}

nlohmann::ordered_json ToJson(const std::vector<Remark>& remarks) {
  return core::Mapped(remarks, [](const Remark& remark) { return ToJson(remark); });
}

}  // namespace tunehub::agent
