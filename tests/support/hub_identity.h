// A hub's certificate and key as files, and clients that trust their authority.
#pragma once

#include <filesystem>
#include <memory>

#include "tests/support/certificates.h"
#include "tests/support/temp_dir.h"

struct ssl_ctx_st;

namespace tunehub::test {

class HubIdentity {
 public:
  HubIdentity();  // for 127.0.0.1, valid

  std::filesystem::path certificate() const { return folder_.path() / "hub.pem"; }
  std::filesystem::path key() const { return folder_.path() / "hub.key"; }
  const Authority& authority() const { return authority_; }

  // Overwrites both files, as a renewal of a certificate does.
  void Replace(const Identity& identity) const;
  void Renew() const;

  // A client that trusts only this authority's certificates for 127.0.0.1.
  std::shared_ptr<ssl_ctx_st> Client() const;

 private:
  TempDir folder_;
  Authority authority_{"a test's authority"};
};

// One identity per process, for tests that do not change it.
const HubIdentity& SharedIdentity();

}  // namespace tunehub::test
