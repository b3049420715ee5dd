// The options of `tune`, `bench` and `pretune`, named like those of AITER's tuners. And what these
// commands and the daemon do with a list of shapes: open spool, hub and device, tune, report.
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
// The engines' own scripts: `tune` and `run`.
inline constexpr char kVllm[] = "vllm", kSglang[] = "sglang", kTunableOp[] = "tunableop";

struct TuneOptions {
  std::string input, output, profile, family, libtype = "all", configs, spool, state, worker;
  std::string device = kAutoDevice, cpus;  // cpus: "" for all that this process may use
  std::string tuner = kBuiltin, logs = DefaultLogs(), aiter, aiter_jit;
  std::vector<std::string> aiter_flags;  // behind `--`, passed on unchanged
  std::string engine, dtype;             // vllm, sglang: the checkout, and the weights' type
  std::string model;                     // tunes its shapes, instead of -i
  std::vector<int> grid;                 // numbers of tokens; empty: the tuner's own
  int tp = 0, ep = 0;                    // 0: the script's own
  std::string device_root = "/";         // the root of the device's /sys and /proc
  bool all = false, json = false, split_k = false, verbose = false;
  int batch = 1, mp = 1;
  int timeout_s = 30;
  SearchOptions search;
  OnlineOptions online;
  std::string arguments;        // the command line, for the run's provenance
  std::set<std::string> given;  // its options; AITER chooses further ones

  bool IsGiven(const std::string& option) const { return given.contains(option); }
  bool ByEngine() const { return tuner == kVllm || tuner == kSglang || tuner == kTunableOp; }
};

// The folder of journals: --state, else the path beside the spool, ~/.local/state/tunehub/tune.
std::filesystem::path StateFolder(const TuneOptions& options);

// Moves `-- FLAGS` from the end into options.aiter_flags. Returns how many arguments are left.
int TakeAiterFlags(int argc, char** argv, TuneOptions& options);

// --device and --cpus.
void AddDeviceOptions(cli::CommandLine& line, TuneOptions& options);
// `output`: the help text of -o, --output.
void AddTuneOptions(cli::CommandLine& line, TuneOptions& options, const std::string& output,
                    const std::vector<std::string>& tuners = {kBuiltin, kAiter});
// The model, and options of vLLM's and SGLang's scripts.
void AddEngineOptions(cli::CommandLine& line, TuneOptions& options);
// Call after parsing: fills `given`. Errors: bad_arguments: an option that the tuner lacks.
core::Status CheckTuneOptions(const cli::CommandLine& line, TuneOptions& options);

// The command line for the run's provenance, without the API key.
std::string ArgumentsText(int argc, char** argv);

struct Bench {
  Configuration configuration;
  DeviceInfo device;
  std::vector<DeviceInfo> beside;  // further GPUs of the same target, by --mp
  std::string no_gpu;              // why auto chose the CPU; "": it did not
  Spool spool;
  std::unique_ptr<HubClient> hub;  // null: none was named
};

// With other tuners than the built-in one, the kernel driver need not list the GPU; their scripts
// report a missing one. Errors: no_configs, no_device (also: --mp wants more GPUs than there are),
// other_target, file_unwritable, bad_hub.
core::Result<Bench> OpenBench(const TuneOptions& options);

struct TuneInput {
  const core::Family* family = nullptr;
  std::vector<Columns> shapes;
  std::vector<TunedRow> tuned;  // kAfter: the rows to measure
  Purpose purpose = Purpose::kTune;
  std::string label;
};

// Returns the exit code of the command `name`. 0: all done; 1: not all; 2: an error.
int TuneAndReport(const std::string& name, TuneOptions options, const TuneInput& input,
                  Bench& bench, Console& console);

// Shows progress: a bar on a terminal; else a line per shape, and a line of the total each minute.
struct ProgressOptions {
  bool terminal = false;  // `err` is a terminal
  bool searches = true;   // false: messages say "measured", not "tuned"
  std::FILE* err = stderr;
  std::ostream* log = nullptr;  // also gets shapes' lines and notes
  Eta::Now now = Eta::Clock::now;
};

class Progress : public Observer {
 public:
  // `out` gets the lines of finished shapes; null: no lines. The total goes to `err`.
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
  bool bench = false;     // nothing was searched: report "measured", not "tuned"

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
  // The first error of a file. The results are in the spool anyway.
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
  // In addition to the hub's rows. kAfter and kKnown: the candidates to measure; kKnown without
  // any: the hub's fastest ones.
  std::vector<TunedRow> tuned;
  std::string arguments, campaign;  // for the run's provenance
};

// `hub` may be null. If it does not answer, the observer gets a note and the search has no hints.
// Errors: those of Session::Run.
core::Result<Summary> TuneShapes(const Configuration& configuration, const TuneTask& task,
                                 TuningDevice& device, const Spool& spool, Outbox& outbox,
                                 HubClient* hub, Observer& observer);

// The same shapes, family, target, purpose and `arguments` give the same journal. `arguments`:
// options that change the measurements.
std::filesystem::path JournalPath(const std::filesystem::path& state, const TuneTask& task,
                                  const std::string& arguments);

// One of several devices of one target that tune in parallel. Each tunes its share of the shapes in
// its own thread and session, with its own journal and run.
struct DeviceSide {
  std::string name;  // for people: "GPU 1"
  TuningDevice& device;
  Outbox& outbox;
  HubClient* hub;  // may be null
  TuneTask task;   // with its share of the shapes
};

// Share i has shapes i, i + count, ...; the same after a restart.
std::vector<Columns> ShareOf(const std::vector<Columns>& shapes, std::size_t share,
                             std::size_t count);

// Returns the sum of all sides. If a side fails, a note says so, the remaining sides continue, and
// its remaining shapes count as failed. Errors: if every side fails, the first side's, as of
// TuneShapes.
core::Result<Summary> TuneSideBySide(const Configuration& configuration,
                                     const std::vector<DeviceSide>& sides, const Spool& spool,
                                     Observer& observer);

// A new run with these NAME=VALUE members and the non-empty ones of `texts`. Errors:
// bad_provenance.
core::Result<NewRun> NewRunOf(
    std::vector<std::string> members,
    std::initializer_list<std::pair<const char*, const std::string&>> texts);

// In the order of the family's untuned columns. AITER fills the columns of the target.
std::vector<std::vector<std::string>> UntunedRows(const core::Family& family,
                                                  const std::vector<Columns>& shapes);

// How and where AITER's scripts ran. The driver need not list the device; `arguments` and
// `campaign` may be empty.
struct AiterContext {
  const AiterTuner& tuner;
  const AiterPlan& plan;
  const DeviceInfo& device;
  const core::Targets& targets;
  std::string arguments, campaign;
};

// A new run of one step. Errors: bad_provenance.
core::Result<NewRun> AiterRunOf(const AiterContext& context, AiterStep step);

// Spools every candidate of `csv`, a table with the family's header, as batches of `run`. Errors:
// spool_full, file_unwritable.
core::Status SpoolCandidates(const core::Family& family, const std::string& csv, const NewRun& run,
                             Outbox& outbox);

struct SpooledBench {
  std::size_t rows = 0;
  std::string why;  // why there are no rows
};
// Spools a bench's times as a run of its own. `tuned`: the table that a bench after tuning used.
// Errors: bad_provenance, those of reading `tuned`, spool_full, file_unwritable.
core::Result<SpooledBench> SpoolBench(const AiterContext& context,
                                      const std::vector<AiterTiming>& timings, AiterStep step,
                                      std::string_view tuned, Outbox& outbox);

// A new run for `run` on `device`, which a driver need not list. `arguments` and `campaign` may be
// empty. Errors: bad_provenance.
core::Result<NewRun> EngineRunOf(const EngineRun& run, const DeviceInfo& device,
                                 const core::Devices& devices, const std::string& arguments,
                                 const std::string& campaign);

// Spools its rows as a batch of `new_run`. Errors: spool_full, file_unwritable.
core::Status SpoolRows(const EngineRun& run, const NewRun& new_run, Outbox& outbox);

}  // namespace tunehub::agent
