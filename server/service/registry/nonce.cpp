#include "server/service/registry/nonce.h"

#include <sys/random.h>

#include <stdexcept>

namespace tunehub::service {

std::string RandomBytes(std::size_t bytes) {
  std::string out(bytes, '\0');
  if (getrandom(out.data(), out.size(), 0) != static_cast<ssize_t>(bytes)) {
    throw std::runtime_error("the system has no randomness");
  }
  return out;
}

}  // namespace tunehub::service
