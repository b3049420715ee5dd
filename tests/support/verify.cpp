#include "tests/support/verify.h"

#include "server/ops/verification.h"
#include "tests/support/shipped.h"

namespace tunehub::test {

std::string WhatDoesNotHold(server::ConnectionPool& pool) {
  std::string text;
  for (const auto& check : server::Verify(pool, ShippedTargets()).checks) {
    for (const std::string& sentence : check.sentences) text += sentence + "\n";
  }
  return text;
}

}  // namespace tunehub::test
