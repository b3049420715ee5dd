#include "server/tls/openssl_error.h"

#include <openssl/err.h>

#include <system_error>

namespace tunehub::tls {

std::string TakeOpensslError(const char* otherwise) {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  if (error == 0) return otherwise;
  if (ERR_SYSTEM_ERROR(error)) return std::generic_category().message(ERR_GET_REASON(error));
  const char* const reason = ERR_reason_error_string(error);
  return reason == nullptr ? otherwise : reason;
}

}  // namespace tunehub::tls
