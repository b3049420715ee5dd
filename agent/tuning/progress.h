// What a person sees while shapes are tuned: a bar on a terminal, else a line per shape.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "agent/tuning/session.h"

namespace tunehub::agent::tuning {

class Progress : public Observer {
 public:
  // `out` takes the lines of finished shapes; null: none. The bar goes to stderr where that is a
  // terminal.
  Progress(std::ostream* out, bool terminal) : out_(out), terminal_(terminal) {}

  void Begin(std::size_t index, std::size_t total, const std::string& shape,
             std::size_t candidates) override;
  void Screened(const Measurement& measurement) override;
  void Finished(const DoneShape& done) override;
  void Note(const std::string& text) override;

 private:
  void DrawBar();

  std::ostream* out_;
  bool terminal_;
  std::size_t index_ = 0, total_ = 0, candidates_ = 0, screened_ = 0;
  std::string shape_;
};

}  // namespace tunehub::agent::tuning
