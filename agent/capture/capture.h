// Reads logs into missed shapes and hands them on: at the end, and of a log that is followed every
// so often.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "core/base/command_line.h"
#include "core/base/result.h"
#include "core/misses/miss_log.h"

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

// The shapes; where a line gives the CU count only (releases before v0.1.16), with the gfx that
// AITER itself backfills.
std::vector<core::MissShape> WithLegacyGfx(std::vector<core::MissShape> shapes,
                                           const core::Targets& targets);

}  // namespace tunehub::agent
