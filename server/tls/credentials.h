// A certificate with its chain, and its key: read from PEM files and checked before use.
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
  std::filesystem::path certificate;  // the server's own first, then its issuers
  std::filesystem::path key;          // may be the same file
};

struct Credentials {
  std::vector<std::shared_ptr<x509_st>> chain;  // the server's own first
  std::shared_ptr<evp_pkey_st> key;
  std::chrono::system_clock::time_point expires;  // the server's own
  std::string digest;                             // of both files: equal where they are
  std::vector<std::string> remarks;  // warnings: no reason to refuse them, in sentences
};

// Errors (bad_tls) name the file and say what is wrong with it: it cannot be read, holds no
// certificate or key, the key is encrypted or another certificate's, the certificate has expired or
// is not valid yet.
core::Result<Credentials> ReadCredentials(
    const Files& files,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

}  // namespace tunehub::tls
