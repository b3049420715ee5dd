#include "core/system/random_uuid.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

#include "core/base/hash128.h"

namespace tunehub::core {

std::string RandomUuid() {
  Hash128 id;
  if (::getrandom(id.bytes.data(), id.bytes.size(), 0) != static_cast<ssize_t>(id.bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  id.bytes[6] = static_cast<unsigned char>((id.bytes[6] & 0x0F) | 0x40);  // version 4
  id.bytes[8] = static_cast<unsigned char>((id.bytes[8] & 0x3F) | 0x80);  // RFC 9562 variant
  return id.Uuid();
}

}  // namespace tunehub::core
