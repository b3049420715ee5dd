// Reads AITER's log for the shapes that it found no tuned row for, or for the rows that it found,
// whatever a framework puts before a message, and folds the copies that its ranks print. The lines
// themselves are in the family files ("misses", "hits"). Bounded memory, whatever the length of the
// log.
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

// The largest count of distinct shapes seen in one deployment's logs is 6,569 over three TP sizes;
// forty times that is some tens of megabytes.
inline constexpr std::size_t kMaxMissShapes = 262'144;
// A log line that is longer is no line of AITER's (a kernel name has at most 340 bytes).
inline constexpr std::size_t kMaxLogLineBytes = 65'536;

// A shape that was asked for and not found, as it was asked for.
struct MissShape {
  const Family* family = nullptr;
  // In the order of Family::untuned_columns, canonical; "" for a target column that the line does
  // not give.
  std::vector<std::string> cells;
  std::string gfx;          // "": neither the line nor the options say
  std::string cu_num;       // the same
  std::uint64_t count = 0;  // lines, over all ranks
  // Of a hit: the config columns that the line names, with their values; "" says nothing.
  std::vector<std::pair<std::string, std::string>> config = {};
};

// All count lines but `bytes`; a line that two processes wrote into holds two misses.
struct MissCounts {
  std::uint64_t bytes = 0, lines = 0;
  std::uint64_t misses = 0;     // counted in a shape
  std::uint64_t unread = 0;     // begin like a miss and cannot be read: cut off, or a newer form
  std::uint64_t unnamed = 0;    // name no table from which the family follows
  std::uint64_t dropped = 0;    // of a new shape when there were kMaxMissShapes already
  std::uint64_t overlong = 0;   // lines above kMaxLogLineBytes, not looked at
  std::uint64_t known = 0;      // say the opposite: hits where misses are read, or misses
  std::uint64_t fragments = 0;  // hold a known message's mark without its beginning, or, up to the
                                // first miss, its beginning without a mark
  std::uint64_t misnamed = 0;   // name a file that no reader's grammar takes apart
  std::string first_unread, first_unnamed, first_misnamed;  // excerpts
};

struct MissLogOptions {
  const Family* family = nullptr;     // of lines that do not say
  std::string gfx = {}, cu_num = {};  // where the lines do not say
  std::size_t max_shapes = kMaxMissShapes;
  bool hits = false;  // read the lines of rows that were found, in place of the misses
  std::vector<FileLine> files = {};         // lines of readers, which name files
  std::vector<RemarkedLines> remarks = {};  // whose marks are looked for
};

// What a matched line means for one family.
struct MissReading {
  const Family* family = nullptr;
  const MissLine* line = nullptr;  // of the family
  std::vector<std::string> names;  // per place: a column, "file" or ""
};

// One text, which several families may share: only the file then says whose it is.
struct MissForm {
  LineTemplate line;
  std::vector<MissReading> readings;
};

// The forms that a mark (MissLine::mark) may announce.
struct MarkedForms {
  std::string mark;
  std::vector<MissForm> forms;
};

// `hits`: the lines of rows that were found.
std::vector<MarkedForms> MissFormsOf(const Families& families, bool hits = false);

// The reading of `form` that the searched file `path` stands for; null where it says nothing. In
// this order: the family whose token the file's name holds; the only reading there is; the family
// with the most words of its name ("a8w8", "blockscale") in the file's name and then the fewest
// outside it, as AITER_CONFIG_* may name any file; `fallback`, where it is among the readings. Of
// builds before v0.1.7, which print CKGEMM for every table, only `fallback` can tell.
const MissReading* ReadingOf(const Families& families, const MissForm& form, std::string_view path,
                             const Family* fallback);

// Distinct missed shapes with their counts, in bounded memory.
class MissFold {
 public:
  explicit MissFold(MissLogOptions options) : options_(std::move(options)) {}

  enum class Added { kCounted, kUnread, kDropped };
  struct Addition {
    Added added = Added::kUnread;
    std::size_t shape = 0;  // kCounted: for Again
  };
  // `values` as LineTemplate::Match gave them. kUnread: some value is none of its column.
  Addition Add(const MissReading& reading, const std::vector<std::string_view>& values);
  // A shape that is known as such, with its count. Not kUnread.
  Addition AddShape(MissShape shape);
  // The same line once more.
  void Again(std::size_t shape) { ++shapes_[shape].count; }

  std::vector<MissShape> Sorted() const;
  void Clear();

 private:
  bool ReadCells(const MissReading& reading, const std::vector<std::string_view>& values);
  Addition Fold();  // of next_
  bool ReadConfig(const MissReading& reading, const std::vector<std::string_view>& values);

  MissLogOptions options_;
  std::vector<MissShape> shapes_;
  std::unordered_map<std::string, std::size_t> index_;
  MissShape next_;   // of the line at hand
  std::string key_;  // of next_
};

class MissLog {
 public:
  // `families` must outlive it.
  MissLog(const Families& families, MissLogOptions options);

  // The next bytes of the log; lines may be cut anywhere between two calls.
  void Feed(std::string_view bytes);
  // The log has ended (or another begins): its last line may lack its line feed.
  void Finish();

  const MissCounts& counts() const { return counts_; }
  // Most frequent first; then by family and shape. `Take` also forgets them, so that a log that is
  // followed can be reported in parts.
  std::vector<MissShape> Shapes() const { return fold_.Sorted(); }
  std::vector<MissShape> Take();
  // Of a file in which an engine lists what it missed (UntunedFile), in place of lines: a shape
  // with its count, and what could not be read.
  void Add(MissShape shape);
  void AddUnread(std::string_view what);

  // Files that were looked for: of MissLogOptions::files.
  std::vector<MissedFile> Files() const { return files_.Sorted(); }
  std::vector<MissedFile> TakeFiles();
  std::vector<MisnamedFile> Misnamed() const { return files_.Misnamed(); }
  // Where misses are read, the files that were found.
  std::vector<MissedFile> OtherFiles() const { return files_.Sorted(true); }
  std::vector<RemarkedLines> Remarks() const;  // those that the log has

 private:
  // The lines seen last, by their text from the message on: ranks repeat each other, and a shape
  // whose line was read need not be read again.
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
  std::string carried_;    // the beginning of a line whose end is not here yet
  bool overlong_ = false;  // the line at hand is too long: skip to its end
  std::vector<std::string_view> values_;
};

// Says of a log's bytes whether they can be lines of text at all.
inline constexpr char kBadLog[] = "bad_log";

// `bytes`: the next of a log; `first`: its first. `place` names the log in the error. Packed logs
// and UTF-16 are known by their first bytes, UTF-16 without a mark by its NUL bytes.
// Errors: bad_log.
Status CheckLogBytes(std::string_view bytes, bool first, std::string_view place);

// The lines of all readers' files, each with the grammar that takes its paths apart. `readers` must
// outlive the answer.
std::vector<FileLine> FileLinesOf(const Readers& readers);

// Those about tuned files in general, none of them seen yet.
std::vector<RemarkedLines> RemarksOf(const Readers& readers);

// The shapes of a log's lines and files. Where a line gives the CU count only (releases before
// v0.1.16), its shape has the gfx that AITER itself backfills. Of a file each M of its ladder, as
// often as the file was missed; the target is what is known of the device: of one that nobody knows
// there is none, and the shape keeps its name.
std::vector<MissShape> AllMissShapes(const Families& families, const Targets& targets,
                                     std::vector<MissShape> shapes,
                                     std::span<const MissedFile> files);

// Ends in .csv and says "untuned", as both engines name them.
bool IsUntunedFileName(std::string_view path);

// A line of TunableOp's, by which a file of any name is known as its.
bool IsTunableList(std::string_view first_line);

// Shapes that were missed, as engines write them themselves: AITER of AITER_TUNE_GEMM_DIR (a
// tuner's input, rows repeated by ranks) and PyTorch TunableOp ("op,params" lines).
struct UntunedFile {
  std::vector<MissShape> shapes;  // each once, with its count, in the file's order
  std::uint64_t rows = 0;         // that are counted in them
  // Rows that nobody can read. The last row of a table counts without its line end too, if it has
  // all its columns: editors leave that end out. TunableOp's list is written by a process alone, so
  // a last line without its end may be half a number (torn_line).
  std::vector<RowIssue> unread;
};

// TunableOp's where the first line is one of its, else AITER's: `path` says which family's, as
// "untuned" stands where the tuned table's name has "tuned"; `options` say it where the name does
// not, and the target. `device` is that of TunableOp's shapes. Errors: unknown_family; those of
// ReadUntunedTable, with the path before them.
Result<UntunedFile> ReadUntunedFile(const Families& families, std::string_view path,
                                    std::string_view bytes, const MissLogOptions& options,
                                    std::string_view device = {});

}  // namespace tunehub::core
