// Why a call of OpenSSL failed, in its own words.
#pragma once

#include <string>

namespace tunehub::tls {

// Of this thread's last failed call, whose error is then forgotten. `otherwise`: where it has none.
std::string TakeOpensslError(const char* otherwise);

}  // namespace tunehub::tls
