// Tunes a list of shapes, one after another, with a journal, a spool, an output and hints. For each
// shape it screens every candidate of the plan briefly. Then it measures the finalists again in
// rounds, with one sample of each finalist per round. So a drift of the clock affects all finalists
// equally.
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
  int warmup = 2;             // untimed calls before the rounds
  // The least number of samples of a finalist, unless it is dropped early. The session takes more
  // samples, up to a limit, until the confidence interval of their median is narrow.
  int rounds = 20;
  // True: every candidate gets all its rounds. There are no hints, and no candidate is dropped
  // early. This is slow; its results show how good the usual search is.
  bool exhaustive = false;
  // Another candidate replaces the incumbent only if it is faster by more than this, in percent.
  double min_improvement_pct = 0.5;
  // least length of a sample; a shorter sample would measure the clock's error
  double sample_us = 600;
  // Called between candidates and between rounds; if it returns true, the search ends (`stopped`).
  std::function<bool()> stop;
};

// What the hub and this tuner know about a shape before its search.
struct Hints {
  // Fast candidates of near shapes, the likeliest first.
  std::vector<Columns> likely;
  // The hub's candidate for this shape.
  std::optional<Columns> incumbent;
};

// Without hints a plan contains every candidate. With hints, a plan begins with the likely
// candidates. Then it adds the candidates that differ least from the best so far, until the budget
// is spent.
class Plan {
 public:
  // If `cut` is false, the plan contains every candidate. The likely candidates come first.
  Plan(const Offer& offer, const Hints& hints, bool cut);

  // Returns the next candidate to screen; nothing at the end of the plan. `measured`: the screened
  // candidates, by number.
  std::optional<std::size_t> Next(const std::vector<std::optional<Measurement>>& measured);

 private:
  void Queue(std::size_t candidate);
  // Returns the candidate outside the plan that differs least from the best of `measured`; nothing
  // if all are in the plan.
  std::optional<std::size_t> Nearest(const std::vector<std::optional<Measurement>>& measured) const;

  const Offer& offer_;
  std::vector<std::size_t> queue_;
  std::vector<bool> queued_;
  std::size_t next_ = 0;
  std::size_t budget_;
};

// The measurements by candidate of the offer; nothing for a candidate that was not measured.
using Measured = std::vector<std::optional<Measurement>>;

// The number of calls that together take at least `sample_us`, up to a limit.
int CallsFor(double call_us, double sample_us);

// If the candidate caused `error`, stores the error in `measurement` and returns true. Otherwise
// returns false, and the caller ends the search.
bool TakesBlame(const core::Error& error, Measurement& measurement);

// Returns the best three candidates by screening, more candidates within 10 % of the best (12 in
// all), and the incumbent. With `all`, returns every candidate that competes.
std::vector<std::size_t> Finalists(const Measured& measured,
                                   const std::optional<Columns>& incumbent, bool all);

// Measures the finalists in rounds. Replaces their screening samples, because these are not
// comparable with the samples of rounds. Drops a finalist that can no longer win. Repeats a round
// if the clock after it differs from the clock of the first round, up to a limit. Restarts all
// rounds after a disturbance or a lasting change of the clock. Errors: stopped, no_device.
core::Status RunRounds(TuningDevice& device, const SearchOptions& options,
                       const std::vector<std::size_t>& finalists, Measured& measured);

// Returns the winner of `measurements`: the lowest median. Among candidates within 1 % of the
// fastest, the smallest split along K wins. The incumbent stays unless it is slower than the
// fastest by more than `min_improvement_pct`.
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
  // The search calls this for every screened candidate. An error ends the search.
  using Screened = std::function<core::Status(const Measurement&)>;

  Search(TuningDevice& device, const SearchOptions& options, Screened screened)
      : device_(device), options_(options), screened_(std::move(screened)) {}

  // Precondition: the device has prepared the shape and made this offer. `known`: the candidates
  // that an earlier start of this search screened. Errors: stopped, no_device, those of `screened`.
  core::Result<ShapeResult> Run(const Offer& offer, const Hints& hints,
                                const std::vector<Measurement>& known);

  // Measures all candidates of `chosen` in rounds, without screening.
  core::Result<std::vector<Measurement>> Measure(const Offer& offer,
                                                 const std::vector<std::size_t>& chosen);

 private:
  core::Result<Measurement> Screen(const Offer& offer, std::size_t candidate);
  core::Status Verify(std::size_t candidate, Measurement& measurement);
  // True if sample number `sample` shows that the candidate cannot win. Sample 0 is a call with a
  // cold cache.
  bool TooSlow(double us, int sample) const;
  core::Status Samples(std::size_t candidate, bool fallback, Measurement& measurement);
  core::Status SecondPhase(const Hints& hints, Measured& measured);
  // Takes a sample. Repeats it if other processes disturbed it.
  core::Result<double> SampleAlone(std::size_t candidate, int calls, Cache cache);
  // On a GPU, measures us_hot and us_cold of those `chosen` candidates that compete.
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
  // The name of the engine's tuner if that tuner found the rows and names no winner; "" for other
  // tuners.
  std::string tuned_by = {};
  double spread = 0;  // SessionOptions::spread
};

// The body of POST /results: every measurement with its samples, status, reason, and hot and cold
// times if it has them. The member "timing" is "wall" on a CPU and "graph" on a GPU (a graph of
// launches between two events). Failed measurements have the time -1; wrong measurements have no
// time. The fallback is marked as the default. With `searched`, all measurements are marked as
// searched.
std::string ResultsBody(const core::Family& family, const core::Target& target,
                        const DoneShape& done, bool searched);

// Lets a tuner continue after a kill. Each event appends one line of JSON.
//
//   {"journal":"tunehub-tune-1","run":{"key":"0f8f...","provenance":{...}}}
//   {"shape":"M=16 N=...","screened":{candidate, status, error, samples, reason}}
//   {"shape":"M=16 N=...","done":{"batch":"77aa...","created":"...","measurements":[...],...}}
//   {"spooled":"77aa..."}
//
// The journal syncs a shape's results to disk before they go to the spool. After a crash between
// the two, the next start spools them under the same Idempotency-Key. So the hub counts them once.
// Open() cuts off an incomplete last line. After any other damage, Open() moves the damaged line
// and all later lines to PATH.damaged. The tuner then measures the shapes in these lines again.
class Journal {
 public:
  // Opens or creates the journal at `path`, and locks it. A new journal records `run`; an existing
  // one keeps its own run. Errors: journal_in_use, file_unreadable, file_unwritable.
  static core::Result<Journal> Open(const std::filesystem::path& path, const NewRun& run);

  // The functions below return the error file_unwritable. The caller must then stop, or it may lose
  // a result.
  core::Status Screened(const std::string& shape, const Measurement& measurement);
  core::Status Done(const std::string& shape, const DoneShape& done);  // synced to disk
  core::Status Spooled(const std::string& batch);
  // Removes the file. Precondition: all shapes are done and spooled.
  core::Status Remove();

  // A message about the damaged lines that Open() moved away, with the reason; "": none.
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
  // The session also calls this for shapes that an earlier start finished, and for shapes without a
  // winner.
  virtual void Finished(const DoneShape& done) = 0;
  // Receives the hub's rows of requested shapes, before the first measurement. The session does not
  // tune these shapes.
  virtual void Known(const std::vector<TunedRow>&) {}
  // Receives a message for the user. The work continues.
  virtual void Note(const std::string& text) = 0;
  // The observer's first write error. After an error the session keeps the journal, and the next
  // start writes again.
  virtual core::Status status() const { return core::Ok(); }
};

// The candidates to measure for a shape.
enum class Purpose {
  kTune,    // all candidates, by a search
  kBefore,  // the default
  kAfter,   // the candidates in `incumbents`
  kKnown,   // the default, and those candidates in `incumbents` that this build contains
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
  // keep the journal even after all shapes are done; the caller removes it
  bool keep_journal = false;
  std::string label;  // where the shapes came from, for messages
  double spread = 0;  // DeviceSpread::share
  // If less space is free, the session starts no other shape. A shape's results (some hundred
  // kilobytes) must fit into the journal and the spool.
  std::uintmax_t least_free_bytes = std::uintmax_t{16} << 20;
};

struct Summary {
  std::size_t tuned = 0, skipped = 0, unsupported = 0, failed = 0;
  bool stopped = false;  // stopped before all shapes were done
  std::string run_key;   // NewRun::key
  // Why this tuner left out some shapes, so that `shapes` lacks them; "": it can tune all shapes.
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

  // A new journal records `run`. Does not measure shapes again that are done in the journal. A stop
  // is not an error. Errors: journal_in_use, no_device, disk_full, spool_full, file_unwritable.
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
