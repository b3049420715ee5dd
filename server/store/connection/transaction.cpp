#include "server/store/connection/transaction.h"

namespace tunehub::store {
namespace {

int HexDigit(char c) {
  return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

}  // namespace

std::string ReadTime(const pqxx::field& field) {
  std::string time = field.as<std::string>("");
  if (time.empty()) return time;
  time[time.find(' ')] = 'T';
  return time.replace(time.find('+'), std::string::npos, "Z");
}

std::string ReadBytes(const pqxx::field& field) {
  const std::string_view hex(field.c_str(), field.size());
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 2; i + 1 < hex.size(); i += 2) {  // after "\x"
    bytes.push_back(static_cast<char>(HexDigit(hex[i]) * 16 + HexDigit(hex[i + 1])));
  }
  return bytes;
}

}  // namespace tunehub::store
