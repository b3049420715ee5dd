#include "core/system/random.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/base/hash128.h"

namespace tunehub::core {

std::string RandomBytes(std::size_t bytes) {
  std::string out(bytes, '\0');
  if (::getrandom(out.data(), out.size(), 0) != static_cast<ssize_t>(bytes)) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return out;
}

std::string RandomUuid() {
  Hash128 id;
  std::ranges::copy(RandomBytes(id.bytes.size()), id.bytes.begin());
  id.bytes[6] = static_cast<unsigned char>((id.bytes[6] & 0x0F) | 0x40);  // version 4
  id.bytes[8] = static_cast<unsigned char>((id.bytes[8] & 0x3F) | 0x80);  // RFC 9562 variant
  return id.Uuid();
}

}  // namespace tunehub::core
