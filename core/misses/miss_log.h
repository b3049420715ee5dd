// Reads misses (or hits) from an engine's log, and counts each rank's copies. A framework may write
// any text before a message. The patterns are the members "misses" and "hits" of the files in
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

// Forty times the most distinct shapes seen in one deployment's logs (6,569 over three TP sizes).
// Needs some tens of megabytes.
inline constexpr std::size_t kMaxMissShapes = 262'144;
// AITER writes no longer lines (its longest kernel name: 340 bytes).
inline constexpr std::size_t kMaxLogLineBytes = 65'536;

// A missed shape before padding.
struct MissShape {
  const Family* family = nullptr;
  // In the order of Family::untuned_columns, canonical; "": a target column that the line lacks.
  std::vector<std::string> cells;
  std::string gfx;          // "": neither the line nor the options give it
  std::string cu_num;       // "": as for gfx
  std::uint64_t count = 0;  // lines, summed over all ranks
  // For a hit: the config columns that the line names, with their values. "": the line has no
  // value.
  std::vector<std::pair<std::string, std::string>> config = {};
};

// All members but `bytes` count lines. If two processes wrote into one line, it counts as two
// misses.
struct MissCounts {
  std::uint64_t bytes = 0, lines = 0;
  std::uint64_t misses = 0;     // counted as a shape's miss
  std::uint64_t unread = 0;     // begin like a miss but are unreadable: cut off, or a newer form
  std::uint64_t unnamed = 0;    // do not identify the family by a table
  std::uint64_t dropped = 0;    // have a new shape above the limit kMaxMissShapes
  std::uint64_t overlong = 0;   // exceed kMaxLogLineBytes, so they are not read
  std::uint64_t known = 0;      // hits while collecting misses, or the reverse
  std::uint64_t fragments = 0;  // have a mark without a message's beginning; before
                                // the first miss also a beginning without its mark
  std::uint64_t misnamed = 0;   // name a file that no reader's grammar can parse
  std::string first_unread, first_unnamed, first_misnamed;  // excerpts
};

struct MissLogOptions {
  const Family* family = nullptr;     // for lines without a family
  std::string gfx = {}, cu_num = {};  // for lines without a target
  std::size_t max_shapes = kMaxMissShapes;
  bool hits = false;                        // collect hits instead of misses
  std::vector<FileLine> files = {};         // lines of readers, which name files
  std::vector<RemarkedLines> remarks = {};  // searched for, by their marks
};

// The meaning of a matched line for one family.
struct MissReading {
  const Family* family = nullptr;
  const MissLine* line = nullptr;  // a line of the family
  std::vector<std::string> names;  // per place: a column, "file" or ""
};

// The text of a line. If several families share the text, only the file that the line names
// identifies the family.
struct MissForm {
  LineTemplate line;
  std::vector<MissReading> readings;
};

// The forms of lines that contain a mark (MissLine::mark).
struct MarkedForms {
  std::string mark;
  std::vector<MissForm> forms;
};

// `hits`: return the families' hits instead of their misses.
std::vector<MarkedForms> MissFormsOf(const Families& families, bool hits = false);

// Returns the reading of `form` for the table `path` that AITER searched; null: unknown. The first
// of these that exists wins:
// 1. The family whose token is in the file's name.
// 2. The only reading.
// 3. The family with the most words of its name ("a8w8", "blockscale") in the file's name, then
//    with the fewest absent words. AITER_CONFIG_* may name any file.
// 4. `fallback`, if it has a reading. Builds before v0.1.7 print CKGEMM for every table, so only
//    this works.
const MissReading* ReadingOf(const Families& families, const MissForm& form, std::string_view path,
                             const Family* fallback);

// Counts distinct missed shapes in bounded memory.
class MissFold {
 public:
  explicit MissFold(MissLogOptions options) : options_(std::move(options)) {}

  enum class Added { kCounted, kUnread, kDropped };
  struct Addition {
    Added added = Added::kUnread;
    std::size_t shape = 0;  // for Again, if kCounted
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
  MissShape next_;   // of the current line
  std::string key_;  // of next_
};

class MissLog {
 public:
  // `families` must outlive it.
  MissLog(const Families& families, MissLogOptions options);

  // Reads the next bytes of the log. Calls may split lines anywhere.
  void Feed(std::string_view bytes);
  // Call it at the end of a log, because the last line may lack its line feed.
  void Finish();

  const MissCounts& counts() const { return counts_; }
  // Most frequent first, then by family and shape. `Take` also clears the shapes, so that the
  // caller can report a growing log in parts.
  std::vector<MissShape> Shapes() const { return fold_.Sorted(); }
  std::vector<MissShape> Take();
  // Add and AddUnread take a shape with its count, or an unreadable row, from an engine's own list
  // of misses (UntunedFile).
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
  // A cache of recent messages. Ranks repeat each other, and the log parses a known message only
  // once.
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
// mark. NUL bytes reveal UTF-16 without that mark. `bytes`: the log's next part. `first`: the part
// begins the log. `place`: the log's name for the error. Errors: bad_log.
Status CheckLogBytes(std::string_view bytes, bool first, std::string_view place);

// The lines of all readers' files, each with the grammar of its paths. `readers` must outlive the
// result.
std::vector<FileLine> FileLinesOf(const Readers& readers);

// The readers' lines about tuned files in general, with all counts 0.
std::vector<RemarkedLines> RemarksOf(const Readers& readers);

// Returns the shapes of a log's lines. For each missed file, adds one shape for each M of its
// ladder, with the file's count. A line with only a CU count (releases before v0.1.16) gets the gfx
// that AITER would derive. An unknown device has no target, so its shapes have only the device's
// name.
std::vector<MissShape> AllMissShapes(const Families& families, const Targets& targets,
                                     std::vector<MissShape> shapes,
                                     std::span<const MissedFile> files);

// True if the name ends in .csv and contains "untuned", as AITER and TunableOp name these files.
bool IsUntunedFileName(std::string_view path);

// True for a line of TunableOp's list. The line identifies the file, so the file's name does not
// matter.
bool IsTunableList(std::string_view first_line);

// An engine's own list of missed shapes. AITER writes it in AITER_TUNE_GEMM_DIR, as a tuner's input
// in which ranks repeat rows. PyTorch's TunableOp writes "op,params" lines.
struct UntunedFile {
  std::vector<MissShape> shapes;  // distinct shapes with counts, in the file's order
  std::uint64_t rows = 0;         // counted in `shapes`
  // Unreadable rows. Editors may omit a table's last line end, so a table's last row counts if it
  // has all columns. Only a process writes TunableOp's list, so a last line without an end may end
  // within a number (torn_line).
  std::vector<RowIssue> unread;
};

// Reads TunableOp's list if the first line identifies it (IsTunableList), otherwise AITER's list.
// The name in `path` identifies the family: it is the tuned table's name with "untuned" for
// "tuned". For another name, `options` give the family. `options` also give the target. `device`:
// the device of TunableOp's shapes. Errors: unknown_family; as ReadUntunedTable, after the path.
Result<UntunedFile> ReadUntunedFile(const Families& families, std::string_view path,
                                    std::string_view bytes, const MissLogOptions& options,
                                    std::string_view device = {});

}  // namespace tunehub::core
