// The files that a tuner writes as it goes: the tuned table (-o) and every candidate
// (--profile-file).
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "agent/tuning/session.h"
#include "agent/tuning/tuned_file.h"

namespace tunehub::agent::tuning {

// Passes everything on to `next`.
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

}  // namespace tunehub::agent::tuning
