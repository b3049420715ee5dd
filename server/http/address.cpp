#include "server/http/address.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace tunehub::http {
namespace {

constexpr unsigned kAddressBits = 128, kV4Bits = 32, kNetworkBits = 64;
constexpr std::string_view kHeader = "x-forwarded-for";
constexpr AddressBytes kV4Prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool IsV4(const AddressBytes& address) {
  return std::equal(kV4Prefix.begin(), kV4Prefix.begin() + 12, address.begin());
}

bool SameNetwork(const AddressBytes& a, const AddressBytes& b, unsigned bits) {
  const unsigned whole = bits / 8, rest = bits % 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

std::vector<std::string_view> Parts(std::string_view list) {
  std::vector<std::string_view> parts = core::SplitAt(list, ",");
  std::ranges::transform(parts, parts.begin(), core::Trim);
  return parts;
}

}  // namespace

std::optional<AddressBytes> ParseAddress(std::string_view text) {
  const std::string zero_ended(text);
  AddressBytes address{};
  if (inet_pton(AF_INET6, zero_ended.c_str(), address.data()) == 1) return address;
  address = kV4Prefix;
  if (inet_pton(AF_INET, zero_ended.c_str(), address.data() + 12) == 1) return address;
  return std::nullopt;
}

std::optional<AddressBytes> ParseNode(std::string_view node) {
  if (node.starts_with('[')) {
    const std::size_t end = node.find(']');
    return end == node.npos ? std::nullopt : ParseAddress(node.substr(1, end - 1));
  }
  const std::size_t colon = node.find(':');
  const bool has_port = colon != node.npos && node.find(':', colon + 1) == node.npos;
  return ParseAddress(has_port ? node.substr(0, colon) : node);
}

std::string AddressText(const AddressBytes& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (IsV4(address)) {
    inet_ntop(AF_INET, address.data() + 12, text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, address.data(), text.data(), text.size());
  }
  return text.data();
}

std::string NetworkOf(const std::string& address) {
  auto bytes = ParseAddress(address);
  if (!bytes) return address;
  if (IsV4(*bytes)) return AddressText(*bytes);
  std::fill(bytes->begin() + kNetworkBits / 8, bytes->end(), static_cast<unsigned char>(0));
  return fmt::format("{}/{}", AddressText(*bytes), kNetworkBits);
}

core::Result<TrustedProxies> TrustedProxies::Parse(std::string_view list) {
  TrustedProxies proxies;
  if (core::Trim(list).empty()) return proxies;
  for (const std::string_view part : Parts(list)) {
    const std::size_t slash = std::min(part.find('/'), part.size());
    const auto address = ParseAddress(part.substr(0, slash));
    const unsigned all = address && IsV4(*address) ? kV4Bits : kAddressBits;
    unsigned bits = all;
    bool good = address.has_value();
    if (slash < part.size()) {
      const std::string_view text = part.substr(slash + 1);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
      good = good && error == std::errc() && end == text.data() + text.size() && bits <= all;
    }
    if (!good) {
      return core::Error{
          "bad_proxies",
          fmt::format("'{}': expected an address, such as 10.1.2.3 or 10.0.0.0/8", part)};
    }
    proxies.networks_.push_back({*address, bits + kAddressBits - all});
  }
  return proxies;
}

bool TrustedProxies::Trusts(const AddressBytes& address) const {
  return std::any_of(networks_.begin(), networks_.end(), [&](const Network& network) {
    return SameNetwork(network.address, address, network.bits);
  });
}

bool TrustedProxies::Trusts(const std::string& peer) const {
  if (networks_.empty()) return false;
  const auto address = ParseAddress(peer);
  return address && Trusts(*address);
}

std::string TrustedProxies::ClientOf(const std::string& peer, const RequestHead& head) const {
  std::vector<std::string_view> nodes;
  for (const auto& [name, value] : head.headers) {
    if (name != kHeader) continue;
    for (const std::string_view part : Parts(value)) nodes.push_back(part);
  }
  std::string client = peer;
  // Begins with the last entry, which the nearest proxy wrote. (A client may have invented the
  // first entry.)
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const auto address = ParseNode(*node);
    if (!address) break;  // "unknown"
    client = AddressText(*address);
    if (!Trusts(*address)) break;
  }
  return client;
}

}  // namespace tunehub::http
