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
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "agent/device/device.h"
#include "agent/hub/spool.h"
#include "core/base/file.h"

namespace tunehub::agent {

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

}  // namespace tunehub::agent
