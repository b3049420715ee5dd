// TLS as a client, for a server of this host that is asked how it is.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"

namespace tunehub::tls {

// Sends the request over a connected socket and answers all that comes until its end. The peer's
// certificate is not judged: nothing that is said is a secret. The socket's own time-outs hold.
// Errors: no_answer.
core::Result<std::string> Exchange(int fd, const std::string& request, std::size_t most_bytes);

}  // namespace tunehub::tls
