// The findings of `doctor`, in sentences, and what to do about each.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/embedded/db_user.h"
#include "server/settings.h"

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

// What `doctor` looks at on this host. Each says what keeps a server from its start, or from an
// answer; the alerts of deploy/observe say what is wrong with one that answers.

void CheckServer(const Settings& settings, Report& report);
// `user`: whom the server runs as.
void CheckDataFolder(const Settings& settings, const embedded::DatabaseUser& user, Report& report);
void CheckCertificate(const Settings& settings, Report& report);
void CheckWeb(const Settings& settings, Report& report);

// tunehub-server doctor.

// Says what is wrong with the hub of these settings, or with them. The exit status: 0 nothing is, 1
// something is, 2 it could not be looked at.
int Doctor(const core::Result<Settings>& settings, bool json);

}  // namespace tunehub::server
