#include "agent/tuning/outputs.h"

namespace tunehub::agent::tuning {

core::Status Outputs::OpenProfile(const std::string& path) {
  profile_path_ = path;
  profile_.open(path, std::ios::trunc);
  profile_ << family_.Header(true) << std::endl;
  if (profile_) return core::Ok();
  return core::Error{"file_unwritable", path + ": cannot be written"};
}

void Outputs::Begin(std::size_t index, std::size_t total, const std::string& shape,
                    std::size_t candidates) {
  next_.Begin(index, total, shape, candidates);
}

void Outputs::Finished(const DoneShape& done) {
  if (tuned_ && done.winner) {
    auto status = tuned_->Put(target_, done.shape, done.measurements[*done.winner]);
    if (!status.ok() && status_.ok()) status_ = status;
  }
  if (profile_.is_open()) {
    for (const Measurement& it : done.measurements) {
      profile_ << LineOf(family_, target_, done.shape, it) << '\n';
    }
    profile_.flush();
    if (!profile_ && status_.ok()) {
      status_ = core::Error{"file_unwritable", profile_path_ + ": cannot be written"};
    }
  }
  next_.Finished(done);
}

void Outputs::Known(const std::vector<TunedRow>& rows) {
  if (tuned_ && status_.ok()) status_ = tuned_->Fill(rows);
  next_.Known(rows);
}

}  // namespace tunehub::agent::tuning
