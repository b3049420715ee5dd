// How one learns that a server speaks TLS where it was asked in plain http: by what it answers, or,
// where it says nothing, by asking it in TLS.
#pragma once

#include <chrono>
#include <string_view>

#include "agent/http/message.h"
#include "agent/http/url.h"

namespace tunehub::agent {

// Whether the bytes begin like a record of TLS.
bool IsTlsRecord(std::string_view bytes);

// Whether the answer says, in plain http, that plain http is not what is spoken there.
bool SaysItWantsTls(const Answer& answer);

// Whether a TLS handshake succeeds there, whoever it is. Ends by the deadline, or earlier.
bool SpeaksTls(const Url& url, std::chrono::steady_clock::time_point deadline);

}  // namespace tunehub::agent
