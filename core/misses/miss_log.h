// Reads misses (or hits) from an engine's log, whatever a framework writes before a message, and
// counts the copies that ranks print. Patterns are members "misses" and "hits" of the files in
// configs/families and configs/readers. Memory is bounded for a log of any length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/family_misses.h"
#include "core/family/targets.h"
#include "core/misses/engine_lines.h"
#include "core/readers/reader.h"
#include "core/row/row.h"

namespace tunehub::core {

// Forty times the most distinct shapes seen in one deployment's logs (6,569 over three TP sizes):
// some tens of megabytes.
inline constexpr std::size_t kMaxMissShapes = 262'144;
// AITER writes no longer lines (a kernel name has at most 340 bytes).
inline constexpr std::size_t kMaxLogLineBytes = 65'536;

// A missed shape, before any padding.
struct MissShape {
  const Family* family = nullptr;
  // In the order of Family::untuned_columns, canonical; "": a target column that the line lacks.
  std::vector<std::string> cells;
  std::string gfx;          // "": neither the line nor the options give it
  std::string cu_num;       // "": as for gfx
  std::uint64_t count = 0;  // lines, over all ranks
  // Of a hit: the config columns that the line names, with their values; "": the line has no value.
  std::vector<std::pair<std::string, std::string>> config = {};
};

// All but `bytes` count lines. A line into which two processes wrote counts as two misses.
struct MissCounts {
  std::uint64_t bytes = 0, lines = 0;
  std::uint64_t misses = 0;     // counted in a shape
  std::uint64_t unread = 0;     // begin like a miss but cannot be read: cut off, or a newer form
  std::uint64_t unnamed = 0;    // name no table that identifies the family
  std::uint64_t dropped = 0;    // have a new shape beyond kMaxMissShapes
  std::uint64_t overlong = 0;   // longer than kMaxLogLineBytes, not read
  std::uint64_t known = 0;      // hits if misses are collected, and the reverse
  std::uint64_t fragments = 0;  // have a message's mark without the message's beginning; before
                                // the first miss also a beginning without its mark
  std::uint64_t misnamed = 0;   // name a file that no reader's grammar can parse
  std::string first_unread, first_unnamed, first_misnamed;  // excerpts
};

struct MissLogOptions {
  const Family* family = nullptr;     // for lines that name none
  std::string gfx = {}, cu_num = {};  // for lines that name none
  std::size_t max_shapes = kMaxMissShapes;
  bool hits = false;                        // collect hits instead of misses
  std::vector<FileLine> files = {};         // lines of readers, which name files
  std::vector<RemarkedLines> remarks = {};  // to search for, by their marks
};

// What a matched line means for one family.
struct MissReading {
  const Family* family = nullptr;
  const MissLine* line = nullptr;  // a line of the family
  std::vector<std::string> names;  // for each place: a column, "file" or ""
};

// The text of a line. If several families share it, only the file that the line names tells the
// family.
struct MissForm {
  LineTemplate line;
  std::vector<MissReading> readings;
};

// The forms that a mark (MissLine::mark) may announce.
struct MarkedForms {
  std::string mark;
  std::vector<MissForm> forms;
};

// `hits`: the families' hits instead of their misses.
std::vector<MarkedForms> MissFormsOf(const Families& families, bool hits = false);

// The reading of `form` for the table `path` that AITER searched; null: unknown. The first of:
// 1. the family whose token is in the file's name;
// 2. the only reading;
// 3. the family with the most words of its name ("a8w8", "blockscale") in the file's name, then the
//    fewest not in it: AITER_CONFIG_* may name any file;
// 4. `fallback`, if it has a reading. Builds before v0.1.7 print CKGEMM for every table: only this.
const MissReading* ReadingOf(const Families& families, const MissForm& form, std::string_view path,
                             const Family* fallback);

// Distinct missed shapes with their counts, in bounded memory.
class MissFold {
 public:
  explicit MissFold(MissLogOptions options) : options_(std::move(options)) {}

  enum class Added { kCounted, kUnread, kDropped };
  struct Addition {
    Added added = Added::kUnread;
    std::size_t shape = 0;  // to count again, if kCounted
  };
  // `values`: of LineTemplate::Match. kUnread: a value does not fit its column.
  Addition Add(const MissReading& reading, const std::vector<std::string_view>& values);
  // Adds a shape with its count; never kUnread.
  Addition AddShape(MissShape shape);
  void Again(std::size_t shape) { ++shapes_[shape].count; }

  std::vector<MissShape> Sorted() const;
  void Clear();

 private:
  bool ReadCells(const MissReading& reading, const std::vector<std::string_view>& values);
  Addition Fold();  // counts next_
  bool ReadConfig(const MissReading& reading, const std::vector<std::string_view>& values);

  MissLogOptions options_;
  std::vector<MissShape> shapes_;
  std::unordered_map<std::string, std::size_t> index_;
  MissShape next_;   // of the current line
  std::string key_;  // of next_
};

class MissLog {
 public:
  // `families` must outlive it.
  MissLog(const Families& families, MissLogOptions options);

  // The next bytes of the log; lines may be cut anywhere between two calls.
  void Feed(std::string_view bytes);
  // Call at the end of a log: the last line may lack its line feed.
  void Finish();

  const MissCounts& counts() const { return counts_; }
  // Most frequent first; then by family and shape. `Take` also clears them, so that the caller can
  // report a growing log in parts.
  std::vector<MissShape> Shapes() const { return fold_.Sorted(); }
  std::vector<MissShape> Take();
  // Add a shape with its count, or an unreadable row, from an engine's own list of misses
  // (UntunedFile).
  void Add(MissShape shape);
  void AddUnread(std::string_view what);

  // Missed files (with `hits`: found ones), by MissLogOptions::files.
  std::vector<MissedFile> Files() const { return files_.Sorted(); }
  std::vector<MissedFile> TakeFiles();
  std::vector<MisnamedFile> Misnamed() const { return files_.Misnamed(); }
  // The opposite: found files (with `hits`: missed ones).
  std::vector<MissedFile> OtherFiles() const { return files_.Sorted(true); }
  std::vector<RemarkedLines> Remarks() const;  // only those in the log

 private:
  // A cache of recent messages: ranks repeat each other, and a known message is not parsed again.
  struct SeenLine {
    std::string text;
    std::size_t shape = kNoShape;
  };
  static constexpr std::size_t kNoShape = ~std::size_t{0};
  static constexpr std::size_t kSeenLines = 8192;  // AITER's own caches hold 1,024 to 4,096 shapes

  SeenLine& SeenAt(std::string_view text);
  void ReadLines(std::string_view lines);
  void Carry(std::string_view part);
  void Unread(std::string_view what);
  void ReadMarked(const MarkedForms& marked, std::string_view line, std::size_t mark);
  bool ReadMessage(const MissForm& form, std::string_view message);
  void CountKnown(const MarkedForms& marked, std::string_view line, std::size_t mark);
  void ReadNamed(std::size_t mark, std::string_view line, std::size_t at);
  void ReadRemarks(std::string_view lines);
  void FindHeads();
  void CountBroken(std::string_view lines);

  const Families& families_;
  const Family* family_;
  std::vector<MarkedForms> marked_, opposite_;
  FileMisses files_;
  std::vector<std::string> file_marks_;
  std::vector<RemarkedLines> remarks_;
  std::vector<std::string> heads_;  // how messages begin, before their marks
  MissFold fold_;
  std::vector<SeenLine> seen_;
  MissCounts counts_;
  std::string carried_;    // the beginning of a line whose end has not arrived
  bool overlong_ = false;  // the current line is too long: skip to its end
  std::vector<std::string_view> values_;
};

inline constexpr char kBadLog[] = "bad_log";
// Checks that a log is text. `bytes`: its next part; `first`: they begin the log. `place` names the
// log in the error. The first bytes reveal compressed logs and UTF-16 with a byte order mark; NUL
// bytes reveal UTF-16 without one. Error bad_log.
Status CheckLogBytes(std::string_view bytes, bool first, std::string_view place);

// The lines of all readers' files, each with its grammar of paths. `readers` must outlive the
// result.
std::vector<FileLine> FileLinesOf(const Readers& readers);

// The readers' lines about tuned files in general, with counts of 0.
std::vector<RemarkedLines> RemarksOf(const Readers& readers);

// The shapes of a log's lines, and for each missed file one shape for each M of its ladder, with
// the file's count. A line with only a CU count (releases before v0.1.16) gets the gfx that AITER
// itself backfills. An unknown device has no target: the shape then has only the device's name.
std::vector<MissShape> AllMissShapes(const Families& families, const Targets& targets,
                                     std::vector<MissShape> shapes,
                                     std::span<const MissedFile> files);

// Ends in .csv and contains "untuned", as AITER and TunableOp name these files.
bool IsUntunedFileName(std::string_view path);

// True for a line of TunableOp's list: it identifies the file, whatever the file's name.
bool IsTunableList(std::string_view first_line);

// An engine's own list of missed shapes: AITER's in AITER_TUNE_GEMM_DIR (a tuner's input, ranks
// repeat rows) or PyTorch TunableOp's ("op,params" lines).
struct UntunedFile {
  std::vector<MissShape> shapes;  // each once, with its count, in the file's order
  std::uint64_t rows = 0;         // counted in `shapes`
  // Unreadable rows. Editors may omit a table's last line end, so the last row of a table counts if
  // it has all columns. Only a process writes TunableOp's list, so its last line without an end may
  // be half a number (torn_line).
  std::vector<RowIssue> unread;
};

// Reads TunableOp's list if the first line is one of it (IsTunableList), else AITER's. The name in
// `path` tells the family, because it is the tuned table's name with "untuned" for "tuned".
// Otherwise `options` give the family. They also give the target. `device`: the device of
// TunableOp's shapes. Errors: unknown_family; those of ReadUntunedTable, after the path.
Result<UntunedFile> ReadUntunedFile(const Families& families, std::string_view path,
                                    std::string_view bytes, const MissLogOptions& options,
                                    std::string_view device = {});

}  // namespace tunehub::core
