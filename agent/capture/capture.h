// Collects missed shapes from logs, passes them to a sink, and prints a report.
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
  std::vector<std::string> logs;  // files, or "-"; empty: "-"
  std::string family;             // for lines that name no family; "": none
  std::string gfx;                // for lines that name no gfx
  std::string device;             // the device for files that name none, such as TunableOp's
  int cu_num = 0;                 // for lines that name no CU count; 0: unknown
  bool follow = false;
  unsigned interval_s = 30;         // time between two calls of the sink while following
  bool raw = false;                 // the shapes as missed, not as lookups use them
  std::string grid;                 // a grid of M for each captured (N, K); "": only the captured M
  std::string output;               // folder for untuned tables; "": none
  bool hits = false;                // read the rows that were found, not the misses
  std::vector<std::string> tables;  // files that the found rows are compared with
  bool json = false;
  std::string device_root = "/";  // the host's GPU is read from /sys below this folder
  std::function<bool()> stop = [] { return false; };  // true ends a followed log
};

// --family, --gfx, --cu-num and --configs: for every command that reads a log.
void AddLogOptions(cli::CommandLine& line, CaptureOptions& options, std::string& configs);

// Receives the shapes. `last` is true for the last call, which comes even without shapes. If an
// earlier call fails, Capture prints the error and continues.
using CaptureSink = std::function<core::Status(core::MissLog& log, bool last)>;

// Reads every log to its end, or with `follow` until `stop`. Errors: those of reading the logs,
// unknown_family, bad_gfx, bad_follow (more than one log), those of the sink's last call.
core::Result<core::MissCounts> Capture(const Configuration& configuration,
                                       const CaptureOptions& options, const CaptureSink& sink,
                                       Console& console);

// The misses of a log, and its other lines about files.
struct Missed {
  std::vector<core::MissShape> shapes;  // with every M that the missed files' tuners measure
  std::vector<core::MissedFile> files;
  std::vector<core::MissedFile> used;  // files that the engine found
  std::vector<core::MisnamedFile> misnamed;
  std::vector<core::RemarkedLines> remarks;
};
Missed AllMissed(const core::MissLog& log, const Configuration& configuration);
// Like AllMissed, but removes the shapes and files from the log.
Missed TakeMissed(core::MissLog& log, const Configuration& configuration);

// Prints a line per family and per reader, and the counts of lines that were not understood.
void PrintCapture(std::ostream& out, const core::MissCounts& counts,
                  std::span<const UntunedTable> tables, const Missed& missed);

// The same with every missed shape:
// {"lines": 10, "misses": 9, ..., "families": [...], "shapes": [{"family": "a8w8", "gfx": "gfx942",
//  "cu_num": 304, "shape": {"M": "37", ...}, "count": 8}], "files": [...], "misnamed": [{"path",
//  "detail", "count"}]}; the shapes include those of Missed::files.
nlohmann::ordered_json CaptureJson(const core::MissCounts& counts,
                                   std::span<const UntunedTable> tables, const Missed& missed);

// The files of a log by reader: count, folders, and the file that the engine read instead. `says`
// describes the files, such as "looked for and not found".
void PrintFiles(std::ostream& out, std::span<const core::MissedFile> files, std::string_view says);
// For one file: its folders, the file read instead, and whether the hub keeps no such files.
void PrintAsked(std::ostream& out, std::string_view indent, const core::MissedFile& file);
// [{"reader": "vllm", "family": "triton_fused_moe", "path": "E=8,...json", "key": {"E": "8", ...},
//  "used": "..." or null, "count": 16, "asked": ["/.../E=8,...json"]}]; "family" is "" if the hub
//  keeps no such files.
nlohmann::ordered_json FilesJson(std::span<const core::MissedFile> files);

// Remarks about tuned files in general: each with its count and its first line.
void PrintRemarks(std::ostream& out, std::span<const core::RemarkedLines> remarks);
// [{"reader": "aiter", "says": "...", "count": 2, "first": "..."}]
nlohmann::ordered_json RemarksJson(std::span<const core::RemarkedLines> remarks);

// Says why a log has no miss.
void PrintNoMiss(std::ostream& out, const core::MissCounts& counts);
// A line for each kind of `what` ("misses") that could not be read.
void PrintLost(std::ostream& out, const core::MissCounts& counts, std::string_view what);
nlohmann::ordered_json CountsJson(const core::MissCounts& counts, std::string_view what);

// True if lines could not be read, or if the log has fragments but no miss.
bool HasFindings(const core::MissCounts& counts);

// One log, read forward. "-" is the standard input. Unpacks gzip, unless it follows the log.
class LogSource {
 public:
  // With `follow`, a regular file has no end: it may grow, be truncated, or be replaced under its
  // name. Errors: file_not_found, file_unreadable.
  static core::Result<LogSource> Open(const std::string& path, bool follow);

  enum class State {
    kMore,   // `bytes` are the next part of the log
    kNone,   // nothing new within the limit
    kOther,  // another log took its name: the last line of this one is complete
    kEnd,
  };
  struct Next {
    State state = State::kEnd;
    std::string_view bytes;  // valid until the next call
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
  bool begun_ = false;  // its first bytes were checked
  core::Fd file_;
  int fd_ = -1;  // of file_, or 0
  std::size_t offset_ = 0;
  std::string block_;
  std::optional<core::GunzipStream> gunzip_;
  std::string_view packed_;  // the rest of block_, still packed
  std::string unpacked_;
};

// The source of a log's GPU: its lines, the options, or this host.
enum class TargetFrom { kNobody, kLog, kOptions, kHost };

struct LogTarget {
  core::Target target;  // for lines that name none; gfx "": unknown
  TargetFrom from = TargetFrom::kNobody;
};

// The GPU for lines that name none, the first of:
//   1. `asked`: --gfx and --cu-num (gfx "": not given)
//   2. the GPU of the other lines, if they name only one
//   3. the AMD GPU that the kernel driver lists below `root`
LogTarget TargetOfLog(const core::Target& asked, std::span<const core::MissShape> shapes,
                      const std::filesystem::path& root);

// Fills in `target` where a shape has no target.
std::vector<core::MissShape> WithTarget(std::vector<core::MissShape> shapes,
                                        const core::Target& target);

// "MI300X / MI325X (gfx942:304)"
std::string Describe(const core::Targets& targets, const core::Target& target);
// "gfx942:304", "gfx950" without a CU count.
std::string Name(const core::Target& target);

}  // namespace tunehub::agent
