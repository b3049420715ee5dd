// Helpers for a command's output: plain lines, shell words, remaining time, remarks on rows.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "core/table/tuned_table.h"

namespace tunehub::agent {

// What a command tells on stderr besides errors. ParseArguments sets it for the process.
struct NoteOptions {
  bool quiet = false;     // nothing
  bool requests = false;  // each request to a hub
  bool waits = false;     // for which hub the command waits, after a second
};
void SetNotes(NoteOptions notes, std::ostream& err);
const NoteOptions& Notes();
// Where C code prints notes: stderr, or nowhere with --quiet.
std::FILE* NotesFile();

// True for a terminal, except with NO_COLOR.
bool ShowsColour(int descriptor);

// Removes control characters from a command's output. Passes on whole lines. A flush also passes on
// a partial line.
class PlainBuffer : public std::streambuf {
 public:
  PlainBuffer(std::ostream& to, bool colour) : to_(to), colour_(colour) {}
  PlainBuffer(const PlainBuffer&) = delete;
  PlainBuffer& operator=(const PlainBuffer&) = delete;
  ~PlainBuffer() override;

  void SetQuiet(bool quiet) { quiet_ = quiet; }
  void SetStamped() { stamped_ = true; }
  // The text from here on is an error or a finding, or a note again.
  void SetError(bool error);

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool HandOn(std::size_t bytes);
  std::string Stamped(std::string_view text);

  std::ostream& to_;
  const bool colour_;
  std::string waiting_;
  int errors_ = 0;  // errors begin and end within each other
  bool quiet_ = false, stamped_ = false, line_begins_ = true;
};

class PlainStream : public std::ostream {
 public:
  explicit PlainStream(std::ostream& to, bool colour = false)
      : std::ostream(nullptr), buffer_(to, colour) {
    rdbuf(&buffer_);
  }

 private:
  PlainBuffer buffer_;
};

// Manipulators around an error, with its line's end, or a finding. --quiet prints nothing else on
// stderr, and a terminal shows it in red. They change only a PlainStream.
std::ostream& BeginError(std::ostream& out);
std::ostream& EndError(std::ostream& out);
// From here on each line of a PlainStream begins with the time, as in RFC 3339.
void StampLines(std::ostream& out);

// Prints rows in columns that are as wide as their widest cell. The first row is the header.
using TextRow = std::vector<std::string>;
void PrintColumns(std::ostream& out, const std::vector<TextRow>& rows);

// Returns the text as one word of a shell's command line, quoted only if necessary.
inline std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// Estimates the remaining time from the elapsed time.
class Eta {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  explicit Eta(Now now = Clock::now) : now_(std::move(now)) {}

  // The clock starts at the first call, and again if `done` shrinks. Work before that start does
  // not count, because this process did not spend time on that work.
  void Done(double done, double total);
  // Returns nothing until there is enough finished work for an estimate.
  std::optional<std::chrono::seconds> Left() const;
  // ", 3 min 20 s left", or "".
  std::string Text() const;

 private:
  Now now_;
  std::optional<Clock::time_point> begun_;
  double first_ = 0, done_ = 0, total_ = 0;
};

// The two largest units: "5 s", "3 min 20 s", "2 h 5 min", "4 d 1 h".
std::string DurationText(std::chrono::seconds duration);

// "gfx=gfx942 cu_num=304 M=16 N=1280 K=8192": the non-empty shape key columns of a row.
std::string KeyOfLine(const core::Family& family, std::string_view line);

struct Remark {
  std::string file;
  core::RowIssue issue;
};

// Prints each code with its count, then its first `most` rows ("file:line: column: detail");
// kAllRows prints all rows.
//   rejected not_an_integer: 2
//     a.csv:3: M: 'x': expected an integer
inline constexpr std::size_t kFewRows = 5;
inline constexpr std::size_t kAllRows = ~std::size_t{0};
void PrintByCode(std::ostream& out, std::string_view what, const std::vector<Remark>& remarks,
                 std::size_t most);

nlohmann::ordered_json ToJson(const Remark& remark);
nlohmann::ordered_json ToJson(const std::vector<Remark>& remarks);

}  // namespace tunehub::agent
