#include "tests/support/verify.h"

#include "server/service/verify/verification.h"
#include "tests/support/shipped.h"

namespace tunehub::test {

std::string WhatDoesNotHold(store::Store& store) {
  std::string text;
  for (const auto& check : service::Verify(store, ShippedTargets()).checks) {
    for (const std::string& sentence : check.sentences) text += sentence + "\n";
  }
  return text;
}

}  // namespace tunehub::test
