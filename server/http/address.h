// IP addresses as text: of the clients that limits count, and of the trusted proxies.
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
// The client for limits. For an IPv6 address it is the network of 64 bits, because one owner can
// use every address in it. Text that is no address stays unchanged.
std::string NetworkOf(const std::string& address);

// The proxies that may name a request's client.
class TrustedProxies {
 public:
  TrustedProxies() = default;
  // `list`: "127.0.0.1, 10.0.0.0/8", or "". Error bad_proxies names the part that is no address.
  static core::Result<TrustedProxies> Parse(std::string_view list);

  bool Trusts(const std::string& peer) const;
  // The client: the last address in the proxies' header that is not a trusted proxy's. If all are
  // trusted, the first address; without addresses, `peer`. Precondition: `peer` is trusted.
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
