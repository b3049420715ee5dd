// Reads logs into missed shapes and hands them on, at the end, and of a log that is followed every
// so often; what is said of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/untuned_table.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "core/base/archive.h"
#include "core/base/command_line.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/targets.h"
#include "core/misses/miss_log.h"
#include "core/row/target.h"

namespace tunehub::agent {

struct CaptureOptions {
  std::vector<std::string> logs;  // files, or "-"; none is "-"
  std::string family;             // of lines that name none; "": none
  std::string gfx;                // of lines that do not say
  std::string device;             // the name of a device, of files that do not say: TunableOp's
  int cu_num = 0;                 // the same; 0: unknown
  bool follow = false;
  unsigned interval_s = 30;         // of handing on while following
  bool raw = false;                 // write shapes as they were missed
  std::string grid;                 // every M of it for each captured (N, K); "": those captured
  std::string output;               // folder for untuned tables; "": none
  bool hits = false;                // read which rows were found, in place of the misses
  std::vector<std::string> tables;  // files that the found rows are compared with
  bool json = false;
  std::string device_root = "/";                      // below which /sys tells of this host's GPU
  std::function<bool()> stop = [] { return false; };  // a followed log then has ended
};

// --family, --gfx, --cu-num and --configs: what every command that reads a log may be told.
void AddLogOptions(cli::CommandLine& line, CaptureOptions& options, std::string& configs);

// What becomes of the shapes. `last` is true for the last call, which is made even without shapes;
// an error of an earlier one is said and the log is read on.
using CaptureSink = std::function<core::Status(core::MissLog& log, bool last)>;

// Reads every log to its end, or with `follow` until it is stopped. Errors: those of the logs,
// unknown_family, bad_gfx, bad_follow (it needs one log), and of the last delivery.
core::Result<core::MissCounts> Capture(const Configuration& configuration,
                                       const CaptureOptions& options, const CaptureSink& sink,
                                       Console& console);

// What was missed.
struct Missed {
  std::vector<core::MissShape> shapes;  // with every M of the files' ladders
  std::vector<core::MissedFile> files;
  std::vector<core::MissedFile> used;  // files that were found
  std::vector<core::MisnamedFile> misnamed;
  std::vector<core::RemarkedLines> remarks;
};
Missed AllMissed(const core::MissLog& log, const Configuration& configuration);
// The log then forgets the shapes and files.
Missed TakeMissed(core::MissLog& log, const Configuration& configuration);

// A line per family and per reader, and what was not understood.
void PrintCapture(std::ostream& out, const core::MissCounts& counts,
                  std::span<const UntunedTable> tables, const Missed& missed);

// The same with every shape as it was asked for:
// {"lines": 10, "misses": 9, ..., "families": [...], "shapes": [{"family": "a8w8", "gfx": "gfx942",
//  "cu_num": 304, "shape": {"M": "37", ...}, "count": 8}], "files": [...], "misnamed": [{"path",
//  "detail", "count"}]}; the shapes have every M of the files' ladders.
nlohmann::ordered_json CaptureJson(const core::MissCounts& counts,
                                   std::span<const UntunedTable> tables, const Missed& missed);

// The files of a log by their readers: how often each, where it was looked for, and what was read
// in its place. `says`: "looked for and not found".
void PrintFiles(std::ostream& out, std::span<const core::MissedFile> files, std::string_view says);
// Of one file: its folders, and that no family has such files.
void PrintAsked(std::ostream& out, std::string_view indent, const core::MissedFile& file);
// [{"reader": "vllm", "family": "triton_fused_moe", "path": "E=8,...json", "key": {"E": "8", ...},
//  "used": "..." or null, "count": 16, "asked": ["/.../E=8,...json"]}]; "family" is "" where the
// hub keeps no such files.
nlohmann::ordered_json FilesJson(std::span<const core::MissedFile> files);

// Lines about tuned files in general: how many, and the first.
void PrintRemarks(std::ostream& out, std::span<const core::RemarkedLines> remarks);
// [{"reader": "aiter", "says": "...", "count": 2, "first": "..."}]
nlohmann::ordered_json RemarksJson(std::span<const core::RemarkedLines> remarks);

// What follows about the shapes of a log without a miss.
void PrintNoMiss(std::ostream& out, const core::MissCounts& counts);
// A line for each kind of `what` ("misses") that was to be read and could not be.
void PrintLost(std::ostream& out, const core::MissCounts& counts, std::string_view what);
nlohmann::ordered_json CountsJson(const core::MissCounts& counts, std::string_view what);

// Lines that were to be read and could not be; also fragments, where nothing else was found.
bool HasFindings(const core::MissCounts& counts);

// One log, read forward. "-" is the standard input. What begins like gzip is unpacked, unless it is
// followed: a log that grows is written as text.
class LogSource {
 public:
  // With `follow`, a regular file has no end: it may grow, be truncated, or be replaced by another
  // of its name. Errors: file_not_found, file_unreadable.
  static core::Result<LogSource> Open(const std::string& path, bool follow);

  enum class State {
    kMore,   // `bytes` are the next of the log
    kNone,   // nothing new within the time given
    kOther,  // the log has ended and another begins in its place: its last line is complete
    kEnd,
  };
  struct Next {
    State state = State::kEnd;
    std::string_view bytes;  // until the next call
  };
  // Waits for at most `limit`. Errors: file_unreadable, bad_gzip, bad_log.
  core::Result<Next> Read(std::chrono::milliseconds limit);

 private:
  LogSource() = default;
  core::Result<Next> ReadBytes(std::chrono::milliseconds limit);
  core::Result<Next> ReadPlain(std::chrono::milliseconds limit);
  core::Result<Next> ReadPacked(std::chrono::milliseconds limit);
  core::Result<Next> AtEnd(std::chrono::milliseconds limit);
  bool WasReplaced() const;

  std::string path_;
  bool follow_ = false;
  bool begun_ = false;  // its first bytes were judged
  core::Fd file_;
  int fd_ = -1;  // of file_, or 0
  std::size_t offset_ = 0;
  std::string block_;
  std::optional<core::GunzipStream> gunzip_;
  std::string_view packed_;  // of block_, not unpacked yet
  std::string unpacked_;
};

// Whose GPU a log is of: what its lines say, else what the person said, else this host's.
enum class TargetFrom { kNobody, kLog, kOptions, kHost };

struct LogTarget {
  core::Target target;  // of the lines that do not say; gfx "": unknown
  TargetFrom from = TargetFrom::kNobody;
};

// The GPU of the lines that name none. `asked`: --gfx and --cu-num, gfx "" where neither was given.
// Without it the one that the log's other lines name, if they name one alone; without that the AMD
// GPU that the kernel driver lists below `root`.
LogTarget TargetOfLog(const core::Target& asked, std::span<const core::MissShape> shapes,
                      const std::filesystem::path& root);

// The shapes, with `target` where a shape has none.
std::vector<core::MissShape> WithTarget(std::vector<core::MissShape> shapes,
                                        const core::Target& target);

// "MI300X / MI325X (gfx942:304)"
std::string Describe(const core::Targets& targets, const core::Target& target);
// "gfx942:304", "gfx950" without a CU count.
std::string Name(const core::Target& target);

}  // namespace tunehub::agent
