// Tunes a list of shapes, one after the other: journal, spool, output and hints. Of a shape every
// candidate of the plan is screened briefly, then the best are measured again, one after the other
// in rounds, so that a drifting clock meets all of them alike.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/device/device.h"
#include "agent/hub/outbox.h"
#include "agent/hub/spool.h"
#include "agent/search/hub_tables.h"
#include "agent/search/tuned_file.h"
#include "core/base/file.h"

namespace tunehub::agent {

struct SearchOptions {
  double error_limit = 0.05;  // share of wrong elements above which a candidate is never timed
  int warmup = 2;             // untimed calls before the second phase
  int rounds = 20;            // samples of each finalist that stays to the end
  // Every candidate gets all its rounds: no hints, no leaving early. Dear, and what the two phases
  // are judged by.
  bool exhaustive = false;
  // A challenger must be faster than the incumbent by more than this.
  double min_improvement_pct = 0.5;
  double sample_us = 1000;  // a sample lasts at least so long: shorter ones measure the clock
  // Asked between candidates and between rounds; true ends the search with `stopped`.
  std::function<bool()> stop;
};

// What is known before a shape is tuned.
struct Hints {
  // What was fast on neighbours, the likeliest first.
  std::vector<Columns> likely;
  // What the registry serves for this very shape.
  std::optional<Columns> incumbent;
};

// Without hints a plan is every candidate. With them it is the likely ones, then whatever differs
// least from the best so far, until the budget is spent.
class Plan {
 public:
  // `cut` false: every candidate, the likely ones first.
  Plan(const Offer& offer, const Hints& hints, bool cut);

  // The next to screen; nothing where the plan is done. `measured` holds, by candidate, what was
  // screened so far.
  std::optional<std::size_t> Next(const std::vector<std::optional<Measurement>>& measured);

 private:
  void Queue(std::size_t candidate);
  // The one that differs least from the best of `measured`; nothing where all are queued.
  std::optional<std::size_t> Nearest(const std::vector<std::optional<Measurement>>& measured) const;

  const Offer& offer_;
  std::vector<std::size_t> queue_;
  std::vector<bool> queued_;
  std::size_t next_ = 0;
  std::size_t budget_;
};

// By candidate of the offer; nothing: not measured.
using Measured = std::vector<std::optional<Measurement>>;

// How many calls make a sample of at least `sample_us`.
int CallsFor(double call_us, double sample_us);

// Whether `error` is the candidate's own affair, which the measurement then says; any other ends
// the search.
bool TakesBlame(const core::Error& error, Measurement& measurement);

// The best three by what was screened, whatever else is within 10 % of the best, and the incumbent;
// or everything that competes.
std::vector<std::size_t> Finalists(const Measured& measured,
                                   const std::optional<Columns>& incumbent, bool all);

// Replaces the finalists' samples by those of the rounds: what was screened alone is no fair sample
// beside them. A finalist that can no longer win leaves early; a round during which the clock
// drifted is held again; a disturbance begins all of them anew.
// Errors: stopped, no_device.
core::Status RunRounds(TuningDevice& device, const SearchOptions& options,
                       const std::vector<std::size_t>& finalists, Measured& measured);

// The one to use of `measurements`: by median; within 1 % of the fastest the smaller split along K;
// the incumbent unless it is slower than that by more than `min_improvement_pct`.
std::optional<std::size_t> Choose(const std::vector<Measurement>& measurements,
                                  const std::optional<Columns>& incumbent,
                                  double min_improvement_pct);

struct ShapeResult {
  std::vector<Measurement> measurements;  // of what was screened, in the order screened
  std::optional<std::size_t> winner;      // into measurements
  std::optional<std::size_t> fallback;    // the untuned choice, into measurements
  std::size_t offered = 0;                // candidates that there are
};

class Search {
 public:
  // Told of every candidate that was screened; an error ends the search.
  using Screened = std::function<core::Status(const Measurement&)>;

  Search(TuningDevice& device, const SearchOptions& options, Screened screened)
      : device_(device), options_(options), screened_(std::move(screened)) {}

  // Precondition: the device has prepared the shape and made this offer. `known`: what an earlier
  // start of this search has screened. Errors: stopped, no_device, those of `screened`.
  core::Result<ShapeResult> Run(const Offer& offer, const Hints& hints,
                                const std::vector<Measurement>& known);

  // All of `chosen` in rounds, screened or not: for a benchmark of given candidates.
  core::Result<std::vector<Measurement>> Measure(const Offer& offer,
                                                 const std::vector<std::size_t>& chosen);

 private:
  core::Result<Measurement> Screen(const Offer& offer, std::size_t candidate);
  core::Status Verify(std::size_t candidate, Measurement& measurement);
  // Whether a candidate's sample number `sample` (0: a cold call) says that it cannot win.
  bool TooSlow(double us, int sample) const;
  core::Status Samples(std::size_t candidate, bool fallback, Measurement& measurement);
  core::Status SecondPhase(const Hints& hints, Measured& measured);
  // The same sample again where others disturbed it.
  core::Result<double> SampleAlone(std::size_t candidate, int calls, Cache cache);
  // us_hot and us_cold of those of `chosen` that compete, where the device can tell.
  core::Status TimeCaches(const Offer& offer, const std::vector<std::size_t>& chosen,
                          Measured& measured);
  void NoteTime(const Measurement& measurement);

  TuningDevice& device_;
  SearchOptions options_;
  Screened screened_;
  double best_us_ = 0;  // of the shape, so far; 0: none
};

struct DoneShape {
  std::string batch;    // the Idempotency-Key
  std::string created;  // RFC 3339
  Columns shape;
  std::vector<Measurement> measurements;
  std::optional<std::size_t> winner, fallback;
  std::string reason;  // of a shape that nothing could be measured on
  // An engine's tuner that found rows and tells no winner; "": whoever did is not one.
  std::string tuned_by = {};
};

// What a tuner that was killed needs to go on: one line of JSON per thing that happened, appended.
//
//   {"journal":"tunehub-tune-1","run":{"key":"0f8f...","provenance":{...}}}
//   {"shape":"M=16 N=...","screened":{candidate, status, error, samples, reason}}
//   {"shape":"M=16 N=...","done":{"batch":"77aa...","created":"...","measurements":[...],...}}
//   {"spooled":"77aa..."}
//
// A shape's results are here, synced, before they are in the spool; what a crash kept out of the
// spool goes there at the next start, under the same Idempotency-Key, so that the hub counts it
// once. A last line that a crash cut off is dropped. Where anything else is damaged, the rest from
// there on is set aside, as PATH.damaged, and its shapes are measured again: a journal spares work,
// it must not stop any.
class Journal {
 public:
  // Opens or begins the journal at `path`, and holds a lock on it. `run`: of a new journal; one
  // that is there keeps its own. Errors: journal_in_use, file_unreadable, file_unwritable.
  static core::Result<Journal> Open(const std::filesystem::path& path, const NewRun& run);

  // Errors of all: file_unwritable; the caller must stop, or a result may be lost.
  core::Status Screened(const std::string& shape, const Measurement& measurement);
  core::Status Done(const std::string& shape, const DoneShape& done);  // on disk when it returns
  core::Status Spooled(const std::string& batch);
  // All shapes are done and spooled: nothing is left to go on with.
  core::Status Remove();

  // What of the file was set aside, and why; "": nothing.
  const std::string& damage() const { return damage_; }
  const NewRun& run() const { return run_; }
  const std::map<std::string, std::vector<Measurement>>& screened() const { return screened_; }
  const std::map<std::string, DoneShape>& done() const { return done_; }
  bool IsSpooled(const std::string& batch) const { return spooled_.contains(batch); }

 private:
  core::Status Append(const nlohmann::json& line, bool sync);
  core::Status Read();
  core::Status Take(const nlohmann::json& line);
  core::Status SetAside(std::string_view rest, std::size_t begin, const std::string& why);
  core::Status CutAt(std::size_t begin);

  std::filesystem::path path_;
  core::Fd fd_;
  NewRun run_;
  std::string damage_;
  std::map<std::string, std::vector<Measurement>> screened_;  // by shape
  std::map<std::string, DoneShape> done_;
  std::set<std::string> spooled_;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void Begin(std::size_t index, std::size_t total, const std::string& shape,
                     std::size_t candidates) = 0;
  virtual void Screened(const Measurement& measurement) = 0;
  // Also of shapes that an earlier start has done, and of those without a winner.
  virtual void Finished(const DoneShape& done) = 0;
  // What the hub has of the shapes that are asked for, before anything is measured: they are left
  // out.
  virtual void Known(const std::vector<TunedRow>&) {}
  // Something that a person should know and that ends nothing.
  virtual void Note(const std::string& text) = 0;
  // The first error of what it writes. The journal stays then, for the next start to write it.
  virtual core::Status status() const { return core::Ok(); }
};

// What is measured of a shape.
enum class Purpose {
  kTune,    // the search
  kBefore,  // what runs where nobody has tuned
  kAfter,   // what `incumbents` says
  kKnown,   // of `incumbents` what this build has, and what runs where nobody has tuned
};

// By TextOf(shape): what is tuned already, the fastest first. With Purpose::kAfter and kKnown all
// of a shape are measured, together.
using Incumbents = std::map<std::string, std::vector<Columns>>;

struct SessionOptions {
  Purpose purpose = Purpose::kTune;
  const core::Family* family = nullptr;
  core::Target target;
  SearchOptions search;
  bool all = false;  // also shapes that have an incumbent
  std::filesystem::path journal, spool;
  bool keep_journal = false;  // also when all is done: the caller removes it
  std::string label;          // where the shapes came from, for messages
  // Below so much free space a shape is not begun: what it yields (some hundred kilobytes) must
  // find room in the journal and in the spool.
  std::uintmax_t least_free_bytes = std::uintmax_t{16} << 20;
};

struct Summary {
  std::size_t tuned = 0, skipped = 0, unsupported = 0, failed = 0;
  bool stopped = false;  // before all shapes were done
  std::string run_key;   // NewRun::key
  // Why some shapes are not this tuner's; "": all are. They are not in `shapes`.
  std::string left;
  std::vector<DoneShape> shapes;

  void Count(const DoneShape& done);
};

class Session {
 public:
  // All must outlive it.
  Session(TuningDevice& device, Outbox& outbox, Neighbours& neighbours, Observer& observer,
          SessionOptions options)
      : device_(device),
        outbox_(outbox),
        neighbours_(neighbours),
        observer_(observer),
        options_(std::move(options)) {}

  // `run`: what a new journal begins with.
  // Shapes that the journal has done are not measured again. Errors: journal_in_use, no_device,
  // disk_full, spool_full, file_unwritable; a stop is none.
  core::Result<Summary> Run(const std::vector<Columns>& shapes, const Incumbents& incumbents,
                            const NewRun& run);

 private:
  // Those that the journal has not. Errors: kStopped, and those of TuneOne.
  core::Status TuneOthers(const std::vector<Columns>& shapes, const Incumbents& incumbents,
                          Summary& summary);
  core::Status TuneOne(const Columns& shape, const Incumbents& incumbents, Summary& summary);
  core::Result<ShapeResult> Tune(const Columns& shape, const Offer& offer, Search& search,
                                 const std::vector<Columns>& incumbents);
  core::Result<std::vector<std::size_t>> Chosen(const Offer& offer,
                                                const std::vector<Columns>& incumbents) const;
  core::Result<ShapeResult> Compare(const Offer& offer, Search& search,
                                    const std::vector<Columns>& incumbents);
  core::Result<DoneShape> Measure(const Columns& shape, const Incumbents& incumbents);
  core::Status Publish(const DoneShape& done, Summary& summary);
  core::Status CheckRoom() const;

  TuningDevice& device_;
  Outbox& outbox_;
  Neighbours& neighbours_;
  Observer& observer_;
  SessionOptions options_;
  std::optional<Journal> journal_;
  std::size_t index_ = 0, total_ = 0;
};

}  // namespace tunehub::agent
