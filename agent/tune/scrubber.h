// Removes names, addresses and keys from texts that leave this host.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tunehub::agent {

class Scrubber {
 public:
  // Knows the names of this host, of its user and of the user's folders, and the values of
  // environment variables that name a user, a host, a hub or a secret.
  static Scrubber OfThisHost();
  // Each text and what replaces it. Empty texts, and names that every host has (root), stay.
  explicit Scrubber(std::vector<std::pair<std::string, std::string>> names);

  // Replaces the names, API keys of hubs, IP addresses, servers in URLs, and e-mail addresses.
  std::string Clean(std::string_view text) const;

 private:
  std::vector<std::pair<std::string, std::string>> names_;  // the longest first
};

}  // namespace tunehub::agent
