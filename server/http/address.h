// Reads IP addresses from text: addresses of clients, for their limits, and of trusted proxies.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "server/http/message.h"

namespace tunehub::http {

// An IPv6 address, or an IPv4 address in IPv6 form: "::ffff:192.0.2.1".
using AddressBytes = std::array<unsigned char, 16>;

std::optional<AddressBytes> ParseAddress(std::string_view text);
// "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80"
std::optional<AddressBytes> ParseNode(std::string_view node);
// "192.0.2.1", "2001:db8::1"
std::string AddressText(const AddressBytes& address);
// Returns the client for limits. For an IPv6 address, this is the network of 64 bits, because one
// owner can use every address in the network. Returns a text that is not an address unchanged.
std::string NetworkOf(const std::string& address);

// The proxies that may name a request's client.
class TrustedProxies {
 public:
  TrustedProxies() = default;
  // `list`: "127.0.0.1, 10.0.0.0/8", or "". Errors: bad_proxies, with the part that is not an
  // address.
  static core::Result<TrustedProxies> Parse(std::string_view list);

  bool Trusts(const std::string& peer) const;
  // Returns the client: the last address in the proxies' header that does not belong to a trusted
  // proxy. If all addresses belong to trusted proxies, returns the first address. Without
  // addresses, returns `peer`. Precondition: `peer` is trusted.
  std::string ClientOf(const std::string& peer, const RequestHead& head) const;

 private:
  struct Network {
    AddressBytes address{};
    unsigned bits = 0;
  };
  bool Trusts(const AddressBytes& address) const;

  std::vector<Network> networks_;
};

}  // namespace tunehub::http
