#include "agent/hub/hub_client.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

std::string Encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 15]);
  }
  return out;
}

}  // namespace

std::string QueryString(const Parameters& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    out += (out.empty() ? "" : "&") + Encode(name) + "=" + Encode(value);
  }
  return out;
}

}  // namespace tunehub::agent
