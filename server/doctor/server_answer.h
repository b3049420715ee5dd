// One request to a server of this host, with a limit for all of it.
#pragma once

#include <string>

#include "core/base/result.h"

namespace tunehub::doctor {

struct Answer {
  int status = 0;
  std::string body;
};

// GET, by TLS where `tls`, whoever the server says it is: what is asked is no secret. Errors:
// no_answer.
core::Result<Answer> Ask(const std::string& host, unsigned short port, bool tls,
                         const std::string& path);

}  // namespace tunehub::doctor
