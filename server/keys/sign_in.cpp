#include "server/keys/sign_in.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "server/db/writer.h"
#include "server/keys/keys.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kMostHeaderBytes = 64;
constexpr std::size_t kMostUserBytes = 254;  // as a mail address
constexpr const char* kEverybodyElse = "*";

// A comma would be the seam of two headers that a proxy joined.
bool IsUser(std::string_view text) {
  return !text.empty() && text.size() <= kMostUserBytes &&
         std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F && c != ','; });
}

// One line of the file: "USER OWNER", or nothing but a comment.
core::Status ReadLine(std::string_view line,
                      std::map<std::string, std::string, std::less<>>& owners) {
  const auto words = core::SplitAt(core::Trim(line.substr(0, line.find('#'))), " \t");
  std::vector<std::string> named;
  for (const std::string_view word : words) {
    if (!word.empty()) named.emplace_back(word);
  }
  if (named.empty()) return core::Ok();
  if (named.size() != 2 || !IsUser(named[0])) {
    return core::Error{"bad_owners",
                       fmt::format("'{}': expected a user and an owner, such as ann@lab.example "
                                   "kernels",
                                   core::Excerpt(line))};
  }
  if (auto owner = CheckOwnerName(named[1]); !owner.ok()) return owner;
  if (owners.emplace(named[0], named[1]).second) return core::Ok();
  return core::Error{"bad_owners", fmt::format("user '{}' has two lines", named[0])};
}

}  // namespace

core::Result<SignIn> SignIn::Load(std::string_view header, const std::filesystem::path& owners) {
  SignIn sign_in;
  if (header.empty() || header.size() > kMostHeaderBytes || !core::HoldsOnly(header, "-")) {
    return core::Error{"bad_header", fmt::format("'{}': expected a header's name, such as "
                                                 "X-Remote-User",
                                                 core::Excerpt(header))};
  }
  sign_in.header_ = core::Lower(header);
  sign_in.owners_ = {{kEverybodyElse, kDefaultOwner}};
  if (owners.empty()) return sign_in;
  sign_in.owners_.clear();
  const auto file = core::FileBytes::Read(owners);
  if (!file.ok()) return file.error();
  std::size_t number = 0;
  for (const std::string_view line : core::SplitAt(file->view(), "\n")) {
    ++number;
    if (const auto read = ReadLine(line, sign_in.owners_); !read.ok())
      return read.error().In(fmt::format("{}:{}", owners.string(), number));
  }
  return sign_in;
}

std::optional<core::Result<std::string>> SignIn::OwnerOf(const http::RequestHead& head) const {
  if (header_.empty() || !head.from_proxy) return std::nullopt;
  const auto count = std::ranges::count(head.headers, header_, &http::Fields::value_type::first);
  if (count == 0) return std::nullopt;
  const std::string_view user = *head.Header(header_);
  if (count > 1 || !IsUser(user)) {
    return core::Error{
        "bad_user",
        fmt::format("{}: {}; the proxy must remove the client's header and send one user of 1 to "
                    "{} visible ASCII characters without ','",
                    header_,
                    count > 1 ? fmt::format("comes {} times", count)
                              : fmt::format("'{}' is not allowed", core::Excerpt(user)),
                    kMostUserBytes)};
  }
  auto found = owners_.find(user);
  if (found == owners_.end()) found = owners_.find(kEverybodyElse);
  if (found != owners_.end()) return found->second;
  return core::Error{"unknown_user",
                     fmt::format("the user '{}' may not read this hub; its administrator lists "
                                 "users in the file of the setting user_owners",
                                 user)};
}

bool SignIn::IsForged(const http::RequestHead& head) const {
  return !header_.empty() && !head.from_proxy && head.Header(header_).has_value();
}

}  // namespace tunehub::server
