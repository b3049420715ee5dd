// The options of `tune`, `bench` and `pretune`, named like the options of AITER's tuners. Also the
// steps that these commands and the daemon share: open the spool, the hub and the device, tune
// shapes, print a report.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/base/terminal.h"
#include "agent/device/this_device.h"
#include "agent/engines/aiter_results.h"
#include "agent/engines/aiter_tuner.h"
#include "agent/engines/engine_run.h"
#include "agent/engines/script_command.h"
#include "agent/hub/http_client.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/outbox.h"
#include "agent/hub/spool.h"
#include "agent/search/session.h"
#include "agent/search/tuned_file.h"
#include "core/base/command_line.h"
#include "core/base/result.h"

namespace tunehub::agent {

inline constexpr char kBuiltin[] = "builtin", kAiter[] = "aiter";
// Tuners of `tune` and `run` that use an engine's own scripts.
inline constexpr char kVllm[] = "vllm", kSglang[] = "sglang", kTunableOp[] = "tunableop";

struct TuneOptions {
  std::string input, output, profile, family, libtype = "all", configs, spool, state, worker;
  std::string device = kAutoDevice, cpus;  // cpus "": all CPUs that this process may use
  std::string tuner = kBuiltin, logs = DefaultLogs(), aiter, aiter_jit;
  std::vector<std::string> aiter_flags;  // behind `--`, passed on unchanged
  // for vllm and sglang: the engine's checkout, and the type of the weights
  std::string engine, dtype;
  // a model whose shapes are tuned, instead of the shapes of -i
  std::string model;
  std::vector<int> grid;          // numbers of tokens; empty: the tuner's default
  int tp = 0, ep = 0;             // 0: the script's default
  std::string device_root = "/";  // the root of the device's /sys and /proc
  bool all = false, json = false, split_k = false, verbose = false;
  int batch = 1, mp = 1;
  int timeout_s = 30;
  SearchOptions search;
  OnlineOptions online;
  std::string arguments;  // the command line, for the run's provenance
  // the options on the command line; AITER chooses the values of other options
  std::set<std::string> given;

  bool IsGiven(const std::string& option) const { return given.contains(option); }
  bool ByEngine() const { return tuner == kVllm || tuner == kSglang || tuner == kTunableOp; }
};

// The folder of journals: --state, else the folder beside the spool, ~/.local/state/tunehub/tune.
std::filesystem::path StateFolder(const TuneOptions& options);

// Moves `-- FLAGS` from the end of argv into options.aiter_flags. Returns the new argc.
int TakeAiterFlags(int argc, char** argv, TuneOptions& options);

// Adds --device and --cpus.
void AddDeviceOptions(cli::CommandLine& line, TuneOptions& options);
// `output`: the help text of -o, --output.
void AddTuneOptions(cli::CommandLine& line, TuneOptions& options, const std::string& output,
                    const std::vector<std::string>& tuners = {kBuiltin, kAiter});
// Adds --model, and the options of vLLM's and SGLang's scripts.
void AddEngineOptions(cli::CommandLine& line, TuneOptions& options);
// Fills options.given from the parsed command line; call it after parsing. Errors: bad_arguments:
// an option that the tuner lacks.
core::Status CheckTuneOptions(const cli::CommandLine& line, TuneOptions& options);

// The command line for the run's provenance, without the API key.
std::string ArgumentsText(int argc, char** argv);

struct Bench {
  Configuration configuration;
  DeviceInfo device;
  std::vector<DeviceInfo> beside;  // --mp: more GPUs of the same target
  std::string no_gpu;              // why `auto` chose the CPU; "": it chose a GPU
  Spool spool;
  std::unique_ptr<HubClient> hub;  // null: no hub was named
};

// Only the built-in tuner needs a GPU in the kernel driver's list. The scripts of other tuners
// report a missing GPU themselves. Errors: no_configs, no_device (also if --mp exceeds the number
// of GPUs), other_target, file_unwritable, bad_hub.
core::Result<Bench> OpenBench(const TuneOptions& options);

struct TuneInput {
  const core::Family* family = nullptr;
  std::vector<Columns> shapes;
  std::vector<TunedRow> tuned;  // kAfter: the rows to measure again
  Purpose purpose = Purpose::kTune;
  std::string label;
};

// Returns the exit code of the command `name`. 0: every shape is done. 1: some shapes failed. 2: an
// error.
int TuneAndReport(const std::string& name, TuneOptions options, const TuneInput& input,
                  Bench& bench, Console& console);

// Shows progress: a bar on a terminal, or else a line per shape and a line with the total each
// minute.
struct ProgressOptions {
  bool terminal = false;  // `err` is a terminal
  bool searches = true;   // false: messages say "measured", not "tuned"
  std::FILE* err = NotesFile();
  std::ostream* log = nullptr;  // also receives the lines of shapes and the notes
  Eta::Now now = Eta::Clock::now;
};

class Progress : public Observer {
 public:
  // `out` gets a line for each finished shape, unless it is null. The total goes to `err`.
  Progress(std::ostream* out, ProgressOptions options)
      : out_(out), options_(std::move(options)), eta_(options_.now), said_(options_.now()) {}

  void Begin(std::size_t index, std::size_t total, const std::string& shape,
             std::size_t candidates) override;
  void Screened(const Measurement& measurement) override;
  void Finished(const DoneShape& done) override;
  void Note(const std::string& text) override;

 private:
  void Show();
  void DrawBar();
  void ClearBar();
  void SayNowAndThen();
  std::string LineOf(const DoneShape& done) const;

  std::ostream* out_;
  ProgressOptions options_;
  Eta eta_;
  Eta::Clock::time_point said_;
  std::size_t index_ = 0, total_ = 0, candidates_ = 0, screened_ = 0;
  std::string shape_;
};

// {"shape":{...},"candidate":{...},"us":...,"speedup":...}, or the reason of a failure.
nlohmann::ordered_json ToJson(const DoneShape& done);

struct TuneReport {
  const Summary& summary;
  const core::Target& target;
  const Outbox& outbox;
  std::size_t waiting = 0;  // batches in the spool
  bool has_hub = false;
  bool has_file = false;  // -o: the rows are also in a file
  bool bench = false;     // the command only measured: print "measured", not "tuned"

  // Returns the command's exit code.
  int Print(bool json, Console& console) const;

 private:
  void PrintWaiting(std::ostream& err) const;
};

// Writes the tuned table (-o) and every candidate (--profile-file) as the tuner produces them.
// Passes all events on to `next`.
class Outputs : public Observer {
 public:
  Outputs(const core::Family& family, const core::Target& target, std::optional<TunedFile> tuned,
          Observer& next)
      : family_(family), target_(target), tuned_(std::move(tuned)), next_(next) {}

  // Errors: file_unwritable.
  core::Status OpenProfile(const std::string& path);
  // The first write error of a file. The results are in the spool anyway.
  core::Status status() const override { return status_; }

  void Begin(std::size_t index, std::size_t total, const std::string& shape,
             std::size_t candidates) override;
  void Screened(const Measurement& measurement) override { next_.Screened(measurement); }
  void Finished(const DoneShape& done) override;
  void Known(const std::vector<TunedRow>& rows) override;
  void Note(const std::string& text) override { next_.Note(text); }

 private:
  const core::Family& family_;
  core::Target target_;
  std::optional<TunedFile> tuned_;
  std::string profile_path_;
  std::ofstream profile_;
  Observer& next_;
  core::Status status_ = core::Ok();
};

struct TuneTask : SessionOptions {
  DeviceInfo device;
  std::vector<Columns> shapes;
  // Rows in addition to the hub's rows. kAfter and kKnown measure the candidates of these rows.
  // Without such rows, kKnown measures the hub's fastest candidates.
  std::vector<TunedRow> tuned;
  std::string arguments, campaign;  // members of the run's provenance
  std::int64_t job = 0;             // the hub's job that verifies these shapes; 0: none
};

// Adds the task's job to the run, so that the hub knows that the run contains the job's results.
// Does nothing if the task has no job.
void NameJob(const TuneTask& task, NewRun& run);

// `hub` may be null. If the hub does not answer, the observer gets a note and the search has no
// hints. Errors: those of Session::Run.
core::Result<Summary> TuneShapes(const Configuration& configuration, const TuneTask& task,
                                 TuningDevice& device, const Spool& spool, Outbox& outbox,
                                 HubClient* hub, Observer& observer);

// The path is the same for the same shapes, family, target, purpose and `arguments`. `arguments`:
// the options that change the measurements.
std::filesystem::path JournalPath(const std::filesystem::path& state, const TuneTask& task,
                                  const std::string& arguments);

// One of several devices of one target that tune in parallel. Each device tunes a part of the
// shapes, in its own thread and session, with its own journal and run.
struct DeviceSide {
  std::string name;  // for people: "GPU 1"
  TuningDevice& device;
  Outbox& outbox;
  HubClient* hub;  // may be null
  TuneTask task;   // contains this device's part of the shapes
};

// Part i contains the shapes i, i + count, i + 2 * count, ... So a restart makes the same parts.
std::vector<Columns> ShareOf(const std::vector<Columns>& shapes, std::size_t share,
                             std::size_t count);

// Returns the sum over all devices. If a device fails, the observer gets a note, the other devices
// continue, and the remaining shapes of the failed device count as failed. If every device fails,
// returns the error of the first device (see TuneShapes).
core::Result<Summary> TuneSideBySide(const Configuration& configuration,
                                     const std::vector<DeviceSide>& sides, const Spool& spool,
                                     Observer& observer);

// Returns a new run with these NAME=VALUE members and the non-empty members of `texts`. Errors:
// bad_provenance.
core::Result<NewRun> NewRunOf(
    std::vector<std::string> members,
    std::initializer_list<std::pair<const char*, const std::string&>> texts);

// Returns the shapes' cells in the order of the family's untuned columns. AITER sets the columns of
// the target.
std::vector<std::vector<std::string>> UntunedRows(const core::Family& family,
                                                  const std::vector<Columns>& shapes);

// The settings and the device of a run of AITER's scripts. `device` need not be in the driver's
// list. `arguments` and `campaign` may be empty.
struct AiterContext {
  const AiterTuner& tuner;
  const AiterPlan& plan;
  const DeviceInfo& device;
  const core::Targets& targets;
  std::string arguments, campaign;
  DefaultTimes defaults = {};  // the reference times for other times
};

// The newest log of a bench before tuning in the folder of logs; "": there is none.
std::filesystem::path BaselineLog(const std::filesystem::path& logs, const core::Family& family);
// Returns the times in that log, unless the log is older than a day. `here`: as in DefaultTimesOf.
DefaultTimes LastDefaults(const std::filesystem::path& logs, const core::Family& family,
                          const core::Target& here);

// A new run of one step. Errors: bad_provenance.
core::Result<NewRun> AiterRunOf(const AiterContext& context, AiterStep step);

// Spools every candidate of `csv`, a table with the family's header, as batches of `run`. Errors:
// spool_full, file_unwritable, those of CandidateRows.
core::Status SpoolCandidates(const AiterContext& context, const std::string& csv, const NewRun& run,
                             Outbox& outbox);

struct SpooledBench {
  std::size_t rows = 0;
  std::string why;  // why there are no rows
};
// Spools a bench's times as a separate run. `tuned`: the table that the bench used, if the bench
// ran after tuning. Errors: bad_provenance, those of reading `tuned`, spool_full, file_unwritable.
core::Result<SpooledBench> SpoolBench(const AiterContext& context,
                                      const std::vector<AiterTiming>& timings, AiterStep step,
                                      std::string_view tuned, Outbox& outbox);

// Returns a new run for the results in `run` on `device`. `device` need not be in a driver's list.
// `arguments` and `campaign` may be empty. Errors: bad_provenance.
core::Result<NewRun> EngineRunOf(const EngineRun& run, const DeviceInfo& device,
                                 const core::Devices& devices, const std::string& arguments,
                                 const std::string& campaign);

// Spools the rows of `run` as a batch of `new_run`. Errors: spool_full, file_unwritable.
core::Status SpoolRows(const EngineRun& run, const NewRun& new_run, Outbox& outbox);

}  // namespace tunehub::agent
