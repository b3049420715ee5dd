// Reads AITER's log for the shapes that it found no tuned row for, or for the rows that it found,
// whatever a framework puts before a message, and folds the copies that its ranks print. The lines
// themselves are in the family files ("misses", "hits"). Bounded memory, whatever the length of the
// log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/misses/file_misses.h"

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

class MissLog {
 public:
  // `families` must outlive it.
  MissLog(const Families& families, MissLogOptions options);
  ~MissLog();
  MissLog(MissLog&&) noexcept;
  MissLog& operator=(MissLog&&) noexcept;
  MissLog(const MissLog&) = delete;
  MissLog& operator=(const MissLog&) = delete;

  // The next bytes of the log; lines may be cut anywhere between two calls.
  void Feed(std::string_view bytes);
  // The log has ended (or another begins): its last line may lack its line feed.
  void Finish();

  const MissCounts& counts() const;
  // Most frequent first; then by family and shape. `Take` also forgets them, so that a log that is
  // followed can be reported in parts.
  std::vector<MissShape> Shapes() const;
  std::vector<MissShape> Take();
  // Of a file in which an engine lists what it missed (untuned_file.h), in place of lines: a shape
  // with its count, and what could not be read.
  void Add(MissShape shape);
  void AddUnread(std::string_view what);

  // Files that were looked for: of MissLogOptions::files.
  std::vector<MissedFile> Files() const;
  std::vector<MissedFile> TakeFiles();
  std::vector<MisnamedFile> Misnamed() const;
  // Where misses are read, the files that were found.
  std::vector<MissedFile> OtherFiles() const;
  std::vector<RemarkedLines> Remarks() const;  // those that the log has

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tunehub::core
