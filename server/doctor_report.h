// The findings of `doctor`, in sentences, and what to do about each.
#pragma once

#include <string>
#include <vector>

namespace tunehub::server {

class Report {
 public:
  // The findings that follow are of this check.
  void Begin(std::string check) { check_ = std::move(check); }
  void Wrong(std::string what, std::string advice);
  void CouldNotLook(std::string why);

  // 0: nothing is wrong; 1: something is; 2: nothing that was seen is, and not all could be seen.
  int exit_status() const;
  std::string Text() const;  // a line for each, and one at the end
  std::string Json() const;

 private:
  struct Finding {
    std::string check, what, advice;
  };
  std::string EndLine() const;

  std::string check_;
  std::vector<Finding> found_, unseen_;
};

}  // namespace tunehub::server
