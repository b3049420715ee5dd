// A test's certificate authority, and certificates that it signs.
#pragma once

#include <string>

#include "tests/support/temp_dir.h"

namespace tunehub::test {

// A certificate and its private key, as PEM.
struct Identity {
  std::string certificate, key;
};

class Authority {
 public:
  explicit Authority(const std::string& name);

  std::string file() const { return folder_ / "ca.pem"; }  // the authority's certificate
  // `names`: in X.509's form, "DNS:hub,IP:127.0.0.1". `days` negative: expired. `rsa_bits` 0: a key
  // on the curve P-256.
  Identity Sign(const std::string& names, int days = 1, unsigned rsa_bits = 0) const;

 private:
  TempDir folder_;
  std::string name_;
  Identity own_;
};

}  // namespace tunehub::test
