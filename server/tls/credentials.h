// Reads a certificate with its chain and its private key from PEM files, and checks them before
// use.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

struct x509_st;
struct evp_pkey_st;

namespace tunehub::tls {

struct Files {
  // the server's own certificate first, then those of its issuers
  std::filesystem::path certificate;
  std::filesystem::path key;  // may be the same file
};

struct Credentials {
  std::vector<std::shared_ptr<x509_st>> chain;  // the server's own certificate first
  std::shared_ptr<evp_pkey_st> key;
  std::chrono::system_clock::time_point expires;  // when the server's own certificate expires
  std::string digest;                             // digest of both files
  std::vector<std::string> remarks;  // warnings, in sentences; the files are still usable
};

// Errors: bad_tls, with the file and its fault:
// - the file cannot be read, or contains no certificate or key
// - the key is encrypted, or belongs to another certificate
// - the certificate has expired or is not valid yet
core::Result<Credentials> ReadCredentials(
    const Files& files,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

}  // namespace tunehub::tls
