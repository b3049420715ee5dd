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
  std::string family;             // family of lines that name no family; "": none
  std::string gfx;                // gfx of lines that name no gfx
  std::string device;             // the device of files that name no device, such as TunableOp's
  int cu_num = 0;                 // CU count of lines that name no CU count; 0: unknown
  bool follow = false;
  unsigned interval_s = 30;  // time between two calls of the sink while following
  bool raw = false;          // report shapes as missed, before padding
  // core::GridOf: the values of M for each captured (N, K); "": only the captured M
  std::string grid;
  std::string output;               // folder for untuned tables; "": none
  bool hits = false;                // count found rows instead of misses
  std::vector<std::string> tables;  // the tables to compare with the found rows
  bool json = false;
  std::string device_root = "/";  // the host's GPU is read from /sys below this folder
  std::function<bool()> stop = [] { return false; };  // true ends a followed log
};

// --family, --gfx, --cu-num and --configs: for every command that reads a log.
void AddLogOptions(cli::CommandLine& line, CaptureOptions& options, std::string& configs);

// Receives the shapes. `last` is true for the last call, which Capture makes even without shapes.
// If a call before the last one fails, Capture prints the error and continues.
using CaptureSink = std::function<core::Status(core::MissLog& log, bool last)>;

// Reads every log to its end, or with `follow` until `stop` returns true. Errors: those of reading
// the logs, unknown_family, bad_gfx, bad_follow (more than one log), those of the last call of the
// sink.
core::Result<core::MissCounts> Capture(const Configuration& configuration,
                                       const CaptureOptions& options, const CaptureSink& sink,
                                       Console& console);

// The misses of a log, and its other lines about files.
struct Missed {
  std::vector<core::MissShape> shapes;  // with every M that the tuner of a missed file measures
  std::vector<core::MissedFile> files;
  std::vector<core::MissedFile> used;  // files that the engine found
  std::vector<core::MisnamedFile> misnamed;
  std::vector<core::RemarkedLines> remarks;
};
Missed AllMissed(const core::MissLog& log, const Configuration& configuration);
// Like AllMissed, but removes the shapes and files from the log.
Missed TakeMissed(core::MissLog& log, const Configuration& configuration);

// Prints a line per family and per reader, and the counts of lines that could not be read.
void PrintCapture(std::ostream& out, const core::MissCounts& counts,
                  std::span<const UntunedTable> tables, const Missed& missed);

// Returns the report of PrintCapture with every missed shape:
// {"lines": 10, "misses": 9, ..., "families": [...], "shapes": [{"family": "a8w8", "gfx": "gfx942",
//  "cu_num": 304, "shape": {"M": "37", ...}, "count": 8}], "files": [...], "misnamed": [{"path",
//  "detail", "count"}]}
// The shapes include those of Missed::files.
nlohmann::ordered_json CaptureJson(const core::MissCounts& counts,
                                   std::span<const UntunedTable> tables, const Missed& missed);

// The files of a log by reader: count, folders, and the file that the engine read instead. `says`
// describes the files, such as "looked for and not found".
void PrintFiles(std::ostream& out, std::span<const core::MissedFile> files, std::string_view says);
// Prints, for one file, its folders and the file that the engine read instead. Also says so if the
// hub stores no such files.
void PrintAsked(std::ostream& out, std::string_view indent, const core::MissedFile& file);
// [{"reader": "vllm", "family": "triton_fused_moe", "path": "E=8,...json", "key": {"E": "8", ...},
//  "used": "..." or null, "count": 16, "asked": ["/.../E=8,...json"]}]; "family" is "" if the hub
//  stores no such files.
nlohmann::ordered_json FilesJson(std::span<const core::MissedFile> files);

// Remarks about tuned files in general: each with its count and its first line.
void PrintRemarks(std::ostream& out, std::span<const core::RemarkedLines> remarks);
// [{"reader": "aiter", "says": "...", "count": 2, "first": "..."}]
nlohmann::ordered_json RemarksJson(std::span<const core::RemarkedLines> remarks);

// Says why a log has no miss.
void PrintNoMiss(std::ostream& out, const core::MissCounts& counts);
// Prints a line for each kind of `what` ("misses") that could not be read.
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
    kOther,  // another log has its name now, so the last line of this log is complete
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
  bool begun_ = false;  // the first bytes of the log were checked
  core::Fd file_;
  int fd_ = -1;  // the descriptor of file_, or 0
  std::size_t offset_ = 0;
  std::string block_;
  std::optional<core::GunzipStream> gunzip_;
  std::string_view packed_;  // the rest of block_, still packed
  std::string unpacked_;
};

// The source that named a log's GPU: the log's lines, the options, or this host.
enum class TargetFrom { kNobody, kLog, kOptions, kHost };

struct LogTarget {
  core::Target target;  // the target of lines that name no GPU; gfx "": unknown
  TargetFrom from = TargetFrom::kNobody;
};

// Returns the GPU of lines that name no GPU, the first of:
//   1. `asked`: --gfx and --cu-num (gfx "": not given)
//   2. the GPU of the other lines, if all of them name the same GPU
//   3. the AMD GPU that the kernel driver lists below `root`
LogTarget TargetOfLog(const core::Target& asked, std::span<const core::MissShape> shapes,
                      const std::filesystem::path& root);

// Sets `target` in each shape without a target.
std::vector<core::MissShape> WithTarget(std::vector<core::MissShape> shapes,
                                        const core::Target& target);

// "MI300X / MI325X (gfx942:304)"
std::string Describe(const core::Targets& targets, const core::Target& target);
// "gfx942:304"; without a CU count "gfx950".
std::string Name(const core::Target& target);

}  // namespace tunehub::agent
