// What a look at a hub finds, in sentences, and what to do about each.
#pragma once

#include <string>
#include <vector>

namespace tunehub::doctor {

struct Finding {
  std::string check;   // the name in the table of checks
  std::string what;    // what is wrong, with its place and its figures
  std::string advice;  // what to do about it
};

struct Unseen {
  std::string check;
  std::string why;  // it could not be looked at
};

class Report {
 public:
  // What is said from now on is of this check.
  void Begin(std::string check) { check_ = std::move(check); }
  void Wrong(std::string what, std::string advice);
  void CouldNotLook(std::string why);

  const std::vector<Finding>& found() const { return found_; }
  const std::vector<Unseen>& unseen() const { return unseen_; }
  // 0: nothing is wrong; 1: something is; 2: nothing that was seen is, and not all could be seen.
  int exit_status() const;

  std::string Text() const;  // a line for each, and one at the end
  std::string Json() const;

 private:
  std::string check_;
  std::vector<Finding> found_;
  std::vector<Unseen> unseen_;
};

}  // namespace tunehub::doctor
