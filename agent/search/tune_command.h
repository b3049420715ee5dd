// The options that `tune`, `bench` and `pretune` share, named as AITER's tuners name theirs, and
// what these commands do once they know their shapes: open spool, hub and device, tune, report.
// One list of shapes goes from what the hub knows to what it gets the same way in the daemon.
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
// By the engines' own scripts: `tune` and `run`.
inline constexpr char kVllm[] = "vllm", kSglang[] = "sglang", kTunableOp[] = "tunableop";

struct TuneOptions {
  std::string input, output, profile, family, libtype = "all", configs, spool, state, worker;
  std::string device = kAutoDevice, cpus;  // cpus: "" for all that this process may use
  std::string tuner = kBuiltin, logs = DefaultLogs(), aiter, aiter_jit;
  std::vector<std::string> aiter_flags;  // behind `--`, for a script as they are
  std::string engine, dtype;             // vllm, sglang: the checkout, and how it is stored
  std::string model;                     // whose shapes are tuned, in place of -i
  std::vector<int> grid;                 // numbers of tokens; empty: the tuner's own
  int tp = 0, ep = 0;                    // 0: the script's own
  std::string device_root = "/";         // below which /sys and /proc tell of the device
  bool all = false, json = false, split_k = false, verbose = false;
  int batch = 1, mp = 1;
  int timeout_s = 30;
  SearchOptions search;
  OnlineOptions online;
  std::string arguments;        // the command line, for the run's provenance
  std::set<std::string> given;  // options that it has: the others are AITER's to choose

  bool IsGiven(const std::string& option) const { return given.contains(option); }
  bool ByEngine() const { return tuner == kVllm || tuner == kSglang || tuner == kTunableOp; }
};

// Where what is done already is found: --state, else the path beside the spool,
// ~/.local/state/tunehub/tune.
std::filesystem::path StateFolder(const TuneOptions& options);

// Takes `-- FLAGS` off the end, into options.aiter_flags; how many arguments are left.
int TakeAiterFlags(int argc, char** argv, TuneOptions& options);

// --device and --cpus.
void AddDeviceOptions(cli::CommandLine& line, TuneOptions& options);
// `output`: what -o, --output is, in --help.
void AddTuneOptions(cli::CommandLine& line, TuneOptions& options, const std::string& output,
                    const std::vector<std::string>& tuners = {kBuiltin, kAiter});
// The model, and what vLLM's and SGLang's scripts are told.
void AddEngineOptions(cli::CommandLine& line, TuneOptions& options);
// After the arguments were parsed: fills `given`. Errors: bad_arguments, an option that the tuner
// does not have.
core::Status CheckTuneOptions(const cli::CommandLine& line, TuneOptions& options);

// The command line as the run tells it: without the API key.
std::string ArgumentsText(int argc, char** argv);

// What a command works with.
struct Bench {
  Configuration configuration;
  DeviceInfo device;
  std::vector<DeviceInfo> beside;  // further GPUs of the same target, by --mp
  std::string no_gpu;              // why it is the CPU; "": it is the GPU, or nobody asked for it
  Spool spool;
  std::unique_ptr<HubClient> hub;  // null: none was named
};

// By another tuner than the built-in one it may be a host whose GPU the kernel driver does not
// list: its scripts will say so. Errors: no_configs, no_device (also where --mp wants more GPUs
// than there are), other_target, file_unwritable, bad_hub.
core::Result<Bench> OpenBench(const TuneOptions& options);

struct TuneInput {
  const core::Family* family = nullptr;
  std::vector<Columns> shapes;
  std::vector<TunedRow> tuned;  // kAfter: what is to be measured
  Purpose purpose = Purpose::kTune;
  std::string label;
};

// The exit code of the command `name`: 0 all done, 1 not all, 2 an error.
int TuneAndReport(const std::string& name, TuneOptions options, const TuneInput& input,
                  Bench& bench, Console& console);

// What a person sees while shapes are tuned: a bar on a terminal, else a line per shape and now and
// then one of how far it is.
struct ProgressOptions {
  bool terminal = false;  // whether `err` is one
  bool searches = true;   // else what is measured is not tuned by it, and not called so
  std::FILE* err = stderr;
  std::ostream* log = nullptr;  // gets the lines of shapes and the notes, too
  Eta::Now now = Eta::Clock::now;
};

class Progress : public Observer {
 public:
  // `out` takes the lines of finished shapes; null: none. How far it is goes to `err`.
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

// {"shape":{...},"candidate":{...},"us":...,"speedup":...}, or the reason why not.
nlohmann::ordered_json ToJson(const DoneShape& done);

struct TuneReport {
  const Summary& summary;
  const core::Target& target;
  const Outbox& outbox;
  std::size_t waiting = 0;  // batches in the spool
  bool has_hub = false;
  bool has_file = false;  // the rows are also in a file, by -o
  bool bench = false;     // nothing was searched: what was measured is not tuned by it

  // The command's exit code.
  int Print(bool json, Console& console) const;

 private:
  void PrintWaiting(std::ostream& err) const;
};

// The files that a tuner writes as it goes: the tuned table (-o) and every candidate
// (--profile-file). Passes everything on to `next`.
class Outputs : public Observer {
 public:
  Outputs(const core::Family& family, const core::Target& target, std::optional<TunedFile> tuned,
          Observer& next)
      : family_(family), target_(target), tuned_(std::move(tuned)), next_(next) {}

  // Errors: file_unwritable.
  core::Status OpenProfile(const std::string& path);
  // The first error of a file; the results are in the spool all the same.
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
  // Beside what the hub knows; kAfter and kKnown: what is measured (kKnown, none: what was fastest
  // by the hub).
  std::vector<TunedRow> tuned;
  std::string arguments, campaign;  // of the run
};

// `hub` may be null. A hub that does not answer is noted; then nothing is known of neighbours.
// Errors: those of Session::Run.
core::Result<Summary> TuneShapes(const Configuration& configuration, const TuneTask& task,
                                 TuningDevice& device, const Spool& spool, Outbox& outbox,
                                 HubClient* hub, Observer& observer);

// Where the journal of this list of shapes is: the same list, family, target and purpose find it
// again. `arguments`: what else makes the measurements others.
std::filesystem::path JournalPath(const std::filesystem::path& state, const TuneTask& task,
                                  const std::string& arguments);

// One of several devices of one target that tune at a time: each takes its share of the shapes, in
// a thread and a session of its own, with a journal and a run of its own.
struct DeviceSide {
  std::string name;  // for people: "GPU 1"
  TuningDevice& device;
  Outbox& outbox;
  HubClient* hub;  // may be null
  TuneTask task;   // with its share of the shapes
};

// Share i has shapes i, i + count, ...: the same again after a kill.
std::vector<Columns> ShareOf(const std::vector<Columns>& shapes, std::size_t share,
                             std::size_t count);

// What all of them came to. Where a device is lost the others go on; that is noted, and the shapes
// it leaves count as failed. Errors, where every one of them has one: those of TuneShapes, the
// first side's.
core::Result<Summary> TuneSideBySide(const Configuration& configuration,
                                     const std::vector<DeviceSide>& sides, const Spool& spool,
                                     Observer& observer);

// A new run of these NAME=VALUE, and of those of `texts` that say something. Errors:
// bad_provenance.
core::Result<NewRun> NewRunOf(
    std::vector<std::string> members,
    std::initializer_list<std::pair<const char*, const std::string&>> texts);

// In the order of the family's untuned columns; those that say where are AITER's to fill.
std::vector<std::vector<std::string>> UntunedRows(const core::Family& family,
                                                  const std::vector<Columns>& shapes);

// How and where AITER's scripts ran. The device may be one that the driver does not list;
// `arguments` and `campaign` may be empty.
struct AiterContext {
  const AiterTuner& tuner;
  const AiterPlan& plan;
  const DeviceInfo& device;
  const core::Targets& targets;
  std::string arguments, campaign;
};

// A new run of one step. Errors: bad_provenance.
core::Result<NewRun> AiterRunOf(const AiterContext& context, AiterStep step);

// Every candidate of `csv`, a table with the family's header, as batches of `run`. Errors:
// spool_full, file_unwritable.
core::Status SpoolCandidates(const core::Family& family, const std::string& csv, const NewRun& run,
                             Outbox& outbox);

struct SpooledBench {
  std::size_t rows = 0;
  std::string why;  // there are none; "": there are
};
// What a bench timed as a run of its own, `tuned` being the table that one after tuning ran with.
// Errors: bad_provenance, those of reading `tuned`, spool_full, file_unwritable.
core::Result<SpooledBench> SpoolBench(const AiterContext& context,
                                      const std::vector<AiterTiming>& timings, AiterStep step,
                                      std::string_view tuned, Outbox& outbox);

// A new run of `run` on `device`, which may be one that no driver lists. `arguments` and `campaign`
// may be empty. Errors: bad_provenance.
core::Result<NewRun> EngineRunOf(const EngineRun& run, const DeviceInfo& device,
                                 const core::Devices& devices, const std::string& arguments,
                                 const std::string& campaign);

// Its rows as a batch of that run. Errors: spool_full, file_unwritable.
core::Status SpoolRows(const EngineRun& run, const NewRun& new_run, Outbox& outbox);

}  // namespace tunehub::agent
