// Reads misses (or hits) from an engine's log. Every rank's copy of a message counts. A framework
// may write any text before a message. The members "misses" and "hits" of the files in
// configs/families and configs/readers contain the patterns. Memory is bounded for a log of any
// length.
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

// Forty times the most distinct shapes seen in one deployment's logs (6,569 over three TP sizes).
// This many shapes need some tens of megabytes.
inline constexpr std::size_t kMaxMissShapes = 262'144;
// The longest line to read. AITER's lines are shorter (its longest kernel name: 340 bytes).
inline constexpr std::size_t kMaxLogLineBytes = 65'536;

// A missed shape before padding.
struct MissShape {
  const Family* family = nullptr;
  // In the order of Family::untuned_columns, canonical; "": a target column that the line lacks.
  std::vector<std::string> cells;
  std::string gfx;          // "": neither the line nor the options give it
  std::string cu_num;       // "": as for gfx
  std::uint64_t count = 0;  // lines, summed over all ranks
  // For a hit: the config columns in the line, with their values. A value may be "".
  std::vector<std::pair<std::string, std::string>> config = {};
};

// All numbers except `bytes` count lines. If two processes wrote their messages into one line, the
// line counts as two misses.
struct MissCounts {
  std::uint64_t bytes = 0, lines = 0;
  std::uint64_t misses = 0;    // are a shape's miss
  std::uint64_t unread = 0;    // begin like a miss but are unreadable: cut off, or in a newer form
  std::uint64_t unnamed = 0;   // name no table that identifies the family
  std::uint64_t dropped = 0;   // have a new shape above the limit kMaxMissShapes
  std::uint64_t overlong = 0;  // exceed kMaxLogLineBytes, so they are not read
  std::uint64_t known = 0;     // are hits while the caller wants misses, or the reverse
  // have a mark without the beginning of a message (before the first miss, also a beginning without
  // its mark)
  std::uint64_t fragments = 0;
  std::uint64_t misnamed = 0;  // name a file that no reader's grammar can parse
  std::string first_unread, first_unnamed, first_misnamed;  // excerpts
};

struct MissLogOptions {
  const Family* family = nullptr;     // the family of lines that name none
  std::string gfx = {}, cu_num = {};  // the target of lines that name none
  std::size_t max_shapes = kMaxMissShapes;
  bool hits = false;                        // collect hits instead of misses
  std::vector<FileLine> files = {};         // lines of readers, which name files
  std::vector<RemarkedLines> remarks = {};  // lines to search for, by their marks
};

// The meaning of a matched line for one family.
struct MissReading {
  const Family* family = nullptr;
  const MissLine* line = nullptr;  // a line of the family
  std::vector<std::string> names;  // per place: a column, "file" or ""
};

// The template of a line. Several families may share a template. Then only the file that the line
// names identifies the family.
struct MissForm {
  LineTemplate line;
  std::vector<MissReading> readings;
};

// The forms of all lines that contain the same mark (MissLine::mark).
struct MarkedForms {
  std::string mark;
  std::vector<MissForm> forms;
};

// `hits`: return the families' hits instead of their misses.
std::vector<MarkedForms> MissFormsOf(const Families& families, bool hits = false);

// Returns the reading of `form` for the table `path` that AITER searched; null: unknown. Returns
// the first of these readings that exists:
// 1. The reading of the family whose Family::token is in the file's name.
// 2. The only reading.
// 3. The reading of the family with the most words of its name ("a8w8", "blockscale") in the file's
//    name, then with the fewest absent words. (AITER_CONFIG_* may name any file.)
// 4. The reading of the family `fallback`. Builds before v0.1.7 print CKGEMM for every table, so
//    only this step works for them.
const MissReading* ReadingOf(const Families& families, const MissForm& form, std::string_view path,
                             const Family* fallback);

// Counts distinct missed shapes in bounded memory.
class MissFold {
 public:
  explicit MissFold(MissLogOptions options) : options_(std::move(options)) {}

  enum class Added { kCounted, kUnread, kDropped };
  struct Addition {
    Added added = Added::kUnread;
    std::size_t shape = 0;  // the argument of Again, if kCounted
  };
  // `values`: from LineTemplate::Match. kUnread: a value does not fit its column.
  Addition Add(const MissReading& reading, const std::vector<std::string_view>& values);
  // Adds a shape with its count. Never returns kUnread.
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
  MissShape next_;   // the shape of the current line
  std::string key_;  // the text of next_, for comparisons
};

class MissLog {
 public:
  // `families` must outlive this object.
  MissLog(const Families& families, MissLogOptions options);

  // Reads the next bytes of the log. Calls may split lines anywhere.
  void Feed(std::string_view bytes);
  // Call Finish at the end of a log, because the last line may lack its line feed.
  void Finish();

  const MissCounts& counts() const { return counts_; }
  // Most frequent first, then by family and shape. `Take` also clears the shapes, so that the
  // caller can report a growing log in parts.
  std::vector<MissShape> Shapes() const { return fold_.Sorted(); }
  std::vector<MissShape> Take();
  // Adds entries of an engine's own list of misses (UntunedFile). Add takes a shape with its count,
  // AddUnread an unreadable row.
  void Add(MissShape shape);
  void AddUnread(std::string_view what);

  // The missed files (with `hits`: the found files) by MissLogOptions::files.
  std::vector<MissedFile> Files() const { return files_.Sorted(); }
  std::vector<MissedFile> TakeFiles();
  std::vector<MisnamedFile> Misnamed() const { return files_.Misnamed(); }
  // The opposite of Files: found files (with `hits`: missed files).
  std::vector<MissedFile> OtherFiles() const { return files_.Sorted(true); }
  std::vector<RemarkedLines> Remarks() const;  // only those that occur in the log

 private:
  // A cache of recent messages. All ranks print the same messages, and MissLog parses each message
  // only once.
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
  std::vector<std::string> heads_;  // the beginnings of messages, before their marks
  MissFold fold_;
  std::vector<SeenLine> seen_;
  MissCounts counts_;
  std::string carried_;    // the beginning of a line whose end has not arrived
  bool overlong_ = false;  // the current line is too long; skip to its end
  std::vector<std::string_view> values_;
};

inline constexpr char kBadLog[] = "bad_log";
// Checks that a log is text. The first bytes reveal compressed logs and UTF-16 with a byte order
// mark. NUL bytes reveal UTF-16 without that mark. `bytes`: the log's next part. `first`: true for
// the log's first part. `place`: the log's name, for the error. Errors: bad_log.
Status CheckLogBytes(std::string_view bytes, bool first, std::string_view place);

// The lines of all readers' files, each with the grammar of its paths. `readers` must outlive the
// result.
std::vector<FileLine> FileLinesOf(const Readers& readers);

// The readers' lines about tuned files in general, with all counts 0.
std::vector<RemarkedLines> RemarksOf(const Readers& readers);

// Returns the shapes of a log's lines. For each missed file, adds one shape for each M in
// NamedFile::ladder, with the file's count. A line with only a CU count (AITER before v0.1.16) gets
// the gfx that AITER would derive. An unknown device has no target. So its shapes have only the
// device's name.
std::vector<MissShape> AllMissShapes(const Families& families, const Targets& targets,
                                     std::vector<MissShape> shapes,
                                     std::span<const MissedFile> files);

// True if the name ends in .csv and contains "untuned", as AITER and TunableOp name these files.
bool IsUntunedFileName(std::string_view path);

// True for a line of TunableOp's list. The line identifies the file, so the file's name does not
// matter.
bool IsTunableList(std::string_view first_line);

// An engine's own list of missed shapes. AITER writes its list, the input of a tuner, in
// AITER_TUNE_GEMM_DIR; the ranks repeat rows in it. PyTorch's TunableOp writes a list of
// "op,params" lines.
struct UntunedFile {
  std::vector<MissShape> shapes;  // distinct shapes with counts, in the file's order
  std::uint64_t rows = 0;         // counted in `shapes`
  // Unreadable rows. AITER's list: editors may omit the last line end, so the last row counts if it
  // has all columns. TunableOp's list: only a process writes it, so a last line without a line end
  // may be cut within a number (torn_line).
  std::vector<RowIssue> unread;
};

// Reads TunableOp's list if the first line identifies it (IsTunableList), otherwise AITER's list.
// The file's name identifies the family: "untuned" replaces "tuned" in the tuned table's name. For
// another name, `options` give the family. `options` also give the target. `device`: the device of
// TunableOp's shapes. Errors: unknown_family; those of ReadUntunedTable, with the path before the
// message.
Result<UntunedFile> ReadUntunedFile(const Families& families, std::string_view path,
                                    std::string_view bytes, const MissLogOptions& options,
                                    std::string_view device = {});

}  // namespace tunehub::core
