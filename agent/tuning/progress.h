// What a person sees while shapes are tuned: a bar on a terminal, else a line per shape and now and
// then one of how far it is.
#pragma once

#include <cstddef>
#include <cstdio>
#include <iosfwd>
#include <string>

#include "agent/base/eta.h"
#include "agent/tuning/session.h"

namespace tunehub::agent::tuning {

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

}  // namespace tunehub::agent::tuning
