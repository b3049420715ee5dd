// Tunes a list of shapes, one after another, with a journal, a spool, an output and hints. For each
// shape it screens every candidate of the plan briefly. Then it measures the finalists again in
// rounds, one sample of each per round, so that clock drift affects all of them alike.
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
  // Samples of a finalist, unless it is dropped early; more, up to a limit, until their median's
  // interval is narrow.
  int rounds = 20;
  // Every candidate gets all its rounds: no hints, and no candidate is dropped early. Slow; the two
  // phases are judged against its results.
  bool exhaustive = false;
  // A challenger must be faster than the incumbent by more than this, in percent.
  double min_improvement_pct = 0.5;
  double sample_us = 600;  // least length of a sample; less would measure the clock
  // Called between candidates and between rounds; if it returns true, the search ends (`stopped`).
  std::function<bool()> stop;
};

// The knowledge of the hub and this tuner before a shape is tuned.
struct Hints {
  // Fast candidates of neighbours, the likeliest first.
  std::vector<Columns> likely;
  // The hub's candidate for this shape.
  std::optional<Columns> incumbent;
};

// Without hints a plan contains every candidate. With hints it begins with the likely ones, then
// adds those that differ least from the best so far, until the budget is spent.
class Plan {
 public:
  // If `cut` is false, the plan contains every candidate, the likely ones first.
  Plan(const Offer& offer, const Hints& hints, bool cut);

  // The next candidate to screen; nothing when the plan is done. `measured`: the screened
  // candidates, by number.
  std::optional<std::size_t> Next(const std::vector<std::optional<Measurement>>& measured);

 private:
  void Queue(std::size_t candidate);
  // The unqueued candidate that differs least from the best of `measured`; nothing: all are queued.
  std::optional<std::size_t> Nearest(const std::vector<std::optional<Measurement>>& measured) const;

  const Offer& offer_;
  std::vector<std::size_t> queue_;
  std::vector<bool> queued_;
  std::size_t next_ = 0;
  std::size_t budget_;
};

// Indexed by candidate of the offer; nothing: not measured.
using Measured = std::vector<std::optional<Measurement>>;

// The number of calls that together take at least `sample_us`, up to a limit.
int CallsFor(double call_us, double sample_us);

// If the candidate caused `error`, records that in `measurement` and returns true. Any other error
// ends the search.
bool TakesBlame(const core::Error& error, Measurement& measurement);

// The best three by screening, more candidates within 10 % of the best (12 in all), and the
// incumbent. With `all`, every candidate that competes.
std::vector<std::size_t> Finalists(const Measured& measured,
                                   const std::optional<Columns>& incumbent, bool all);

// Replaces the finalists' screening samples, because they are not comparable with the rounds'
// samples. Drops a finalist that can no longer win. Repeats a round after which the clock differs
// from that of the first, up to a limit. Restarts all rounds after a disturbance, or at a new
// clock. Errors: stopped, no_device.
core::Status RunRounds(TuningDevice& device, const SearchOptions& options,
                       const std::vector<std::size_t>& finalists, Measured& measured);

// The winner of `measurements` has the lowest median; of candidates within 1 % of the fastest, the
// smallest split along K. The incumbent stays unless it is slower than the fastest by more than
// `min_improvement_pct`.
std::optional<std::size_t> Choose(const std::vector<Measurement>& measurements,
                                  const std::optional<Columns>& incumbent,
                                  double min_improvement_pct);

struct ShapeResult {
  std::vector<Measurement> measurements;  // in the order screened
  std::optional<std::size_t> winner;      // index into measurements
  std::optional<std::size_t> fallback;    // the default's index into measurements
  std::size_t offered = 0;                // number of candidates
};

class Search {
 public:
  // Called for every screened candidate; an error ends the search.
  using Screened = std::function<core::Status(const Measurement&)>;

  Search(TuningDevice& device, const SearchOptions& options, Screened screened)
      : device_(device), options_(options), screened_(std::move(screened)) {}

  // Precondition: the device has prepared the shape and made this offer. `known`: the candidates
  // that an earlier start of this search screened. Errors: stopped, no_device, those of `screened`.
  core::Result<ShapeResult> Run(const Offer& offer, const Hints& hints,
                                const std::vector<Measurement>& known);

  // Measures all of `chosen` in rounds, without screening: a benchmark of given candidates.
  core::Result<std::vector<Measurement>> Measure(const Offer& offer,
                                                 const std::vector<std::size_t>& chosen);

 private:
  core::Result<Measurement> Screen(const Offer& offer, std::size_t candidate);
  core::Status Verify(std::size_t candidate, Measurement& measurement);
  // True if sample number `sample` shows that the candidate cannot win. Number 0 is a cold call.
  bool TooSlow(double us, int sample) const;
  core::Status Samples(std::size_t candidate, bool fallback, Measurement& measurement);
  core::Status SecondPhase(const Hints& hints, Measured& measured);
  // Takes a sample again if it was disturbed.
  core::Result<double> SampleAlone(std::size_t candidate, int calls, Cache cache);
  // On a GPU measures us_hot and us_cold of the `chosen` candidates that compete.
  core::Status TimeCaches(const Offer& offer, const std::vector<std::size_t>& chosen,
                          Measured& measured);
  void NoteTime(const Measurement& measurement);

  TuningDevice& device_;
  SearchOptions options_;
  Screened screened_;
  double best_us_ = 0;  // the shape's best median so far; 0: none
};

struct DoneShape {
  std::string batch;    // the Idempotency-Key
  std::string created;  // RFC 3339
  Columns shape;
  std::vector<Measurement> measurements;
  std::optional<std::size_t> winner, fallback;
  std::string reason;  // why the shape has no measurement
  // The engine's tuner, if it found the rows and names no winner; "" for other tuners.
  std::string tuned_by = {};
  double spread = 0;  // SessionOptions::spread
};

// The body of POST /results: every measurement with its samples, status, reason, and hot and cold
// times if it has them. Its timing is "wall" on a CPU, and "graph" on a GPU (a graph of launches
// between two events). Failed measurements have the time -1, wrong ones none. The fallback is
// marked as the default; with `searched` all are marked as searched.
std::string ResultsBody(const core::Family& family, const core::Target& target,
                        const DoneShape& done, bool searched);

// Lets a killed tuner continue. Each event appends one line of JSON.
//
//   {"journal":"tunehub-tune-1","run":{"key":"0f8f...","provenance":{...}}}
//   {"shape":"M=16 N=...","screened":{candidate, status, error, samples, reason}}
//   {"shape":"M=16 N=...","done":{"batch":"77aa...","created":"...","measurements":[...],...}}
//   {"spooled":"77aa..."}
//
// A shape's results are synced here before they go to the spool. If a crash keeps them from the
// spool, the next start spools them under the same Idempotency-Key, so that the hub counts them
// once. Open() cuts off an incomplete last line. It moves the file's rest after any other damage to
// PATH.damaged; those shapes are measured again, since a damaged journal must not stop the tuner.
class Journal {
 public:
  // Opens or creates the journal at `path`, and locks it. A new journal records `run`; an existing
  // one keeps its own run. Errors: journal_in_use, file_unreadable, file_unwritable.
  static core::Result<Journal> Open(const std::filesystem::path& path, const NewRun& run);

  // Errors of all these: file_unwritable; then the caller must stop, or it may lose a result.
  core::Status Screened(const std::string& shape, const Measurement& measurement);
  core::Status Done(const std::string& shape, const DoneShape& done);  // synced to disk
  core::Status Spooled(const std::string& batch);
  // Removes the file. Precondition: all shapes are done and spooled.
  core::Status Remove();

  // The damaged part that was moved away, and why; "": none.
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
  // Called also for shapes that an earlier start finished, and for shapes without a winner.
  virtual void Finished(const DoneShape& done) = 0;
  // The hub's rows of requested shapes, before measuring starts: the session leaves these out.
  virtual void Known(const std::vector<TunedRow>&) {}
  // A message for a person; the work continues.
  virtual void Note(const std::string& text) = 0;
  // The observer's first write error. Then the journal stays, and the next start writes again.
  virtual core::Status status() const { return core::Ok(); }
};

// The candidates to measure for a shape.
enum class Purpose {
  kTune,    // all candidates, by a search
  kBefore,  // the default
  kAfter,   // the candidates in `incumbents`
  kKnown,   // the default, and the candidates in `incumbents` that this build has
};

// Tuned candidates by TextOf(shape), the fastest first. kAfter and kKnown measure all candidates of
// a shape together.
using Incumbents = std::map<std::string, std::vector<Columns>>;

struct SessionOptions {
  Purpose purpose = Purpose::kTune;
  const core::Family* family = nullptr;
  core::Target target;
  SearchOptions search;
  bool all = false;  // tune also shapes that have an incumbent
  std::filesystem::path journal, spool;
  bool keep_journal = false;  // kept even if all is done; the caller removes it
  std::string label;          // where the shapes came from, for messages
  double spread = 0;          // DeviceSpread::share
  // If less space is free, the session starts no further shape, because a shape's results (some
  // hundred kilobytes) must fit into the journal and the spool.
  std::uintmax_t least_free_bytes = std::uintmax_t{16} << 20;
};

struct Summary {
  std::size_t tuned = 0, skipped = 0, unsupported = 0, failed = 0;
  bool stopped = false;  // stopped before all shapes were done
  std::string run_key;   // NewRun::key
  // Why this tuner left out some shapes, so that `shapes` lacks them; "": it can tune all.
  std::string left;
  std::vector<DoneShape> shapes;

  void Count(const DoneShape& done);
};

class Session {
 public:
  // All arguments must outlive this object.
  Session(TuningDevice& device, Outbox& outbox, Neighbours& neighbours, Observer& observer,
          SessionOptions options)
      : device_(device),
        outbox_(outbox),
        neighbours_(neighbours),
        observer_(observer),
        options_(std::move(options)) {}

  // A new journal records `run`. Shapes that the journal has as done are not measured again.
  // Errors: journal_in_use, no_device, disk_full, spool_full, file_unwritable; a stop is no error.
  core::Result<Summary> Run(const std::vector<Columns>& shapes, const Incumbents& incumbents,
                            const NewRun& run);

 private:
  // Tunes shapes that the journal lacks. Errors: kStopped, and those of TuneOne.
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
