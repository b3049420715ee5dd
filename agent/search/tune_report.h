// What became of a list of shapes, for people and for programs.
#pragma once

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "agent/base/command.h"
#include "agent/base/terminal.h"
#include "agent/hub/outbox.h"
#include "agent/search/session.h"
#include "agent/search/tuned_file.h"

namespace tunehub::agent {

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

}  // namespace tunehub::agent
