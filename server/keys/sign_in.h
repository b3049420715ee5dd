// Sign-in by a proxy that a request came through: the proxy checks the user, for example by OpenID
// Connect, and names the user in a header. Such a request may read.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "server/http/message.h"

namespace tunehub::server {

class SignIn {
 public:
  SignIn() = default;  // off
  // `header`: the header's name. `owners`: a file of lines `USER OWNER`; the user * is everybody
  // else. Users outside the file may not read. "": every user reads, for the default owner. Errors:
  // bad_header, bad_owners, file_not_found and other errors of reading the file.
  static core::Result<SignIn> Load(std::string_view header, const std::filesystem::path& owners);

  // Returns the owner of the request's user. Nothing: no trusted proxy named a user. Errors:
  // bad_user, unknown_user.
  std::optional<core::Result<std::string>> OwnerOf(const http::RequestHead& head) const;
  // True if the request has the header, but a sender who is no trusted proxy wrote it.
  bool IsForged(const http::RequestHead& head) const;
  const std::string& header() const { return header_; }

 private:
  std::string header_;  // in lower case; "": off
  std::map<std::string, std::string, std::less<>> owners_;
};

}  // namespace tunehub::server
