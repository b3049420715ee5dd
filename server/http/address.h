// IP addresses as text: whom limits count, and which proxies are believed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "server/http/message.h"

namespace tunehub::http {

// Of IPv6; an address of IPv4 as IPv6 writes it, "::ffff:192.0.2.1".
using AddressBytes = std::array<unsigned char, 16>;

std::optional<AddressBytes> ParseAddress(std::string_view text);
// "192.0.2.1", "2001:db8::1"
std::string AddressText(const AddressBytes& address);
// Whom limits count an address for: one of IPv6 is its whole network's of 64 bits, since who has
// one has all of them. What is no address is itself.
std::string NetworkOf(const std::string& address);

// Proxies that are believed when they say whom a request comes from.
class TrustedProxies {
 public:
  TrustedProxies() = default;
  // `list`: "127.0.0.1, 10.0.0.0/8", or "". Error bad_proxies names what is no address.
  static core::Result<TrustedProxies> Parse(std::string_view list);

  bool Trusts(const std::string& peer) const;
  // The last address that no trusted proxy has, of those that `peer` and proxies before it name;
  // `peer`, which is trusted, where there is none.
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
