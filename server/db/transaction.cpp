#include "server/db/transaction.h"

#include "core/base/encoding.h"

namespace tunehub::server {

std::string ReadTime(const pqxx::field& field) {
  std::string time = field.as<std::string>("");
  if (time.empty()) return time;
  time[time.find(' ')] = 'T';
  return time.replace(time.find('+'), std::string::npos, "Z");
}

std::string ReadToken(const pqxx::field& field) {
  std::string token = field.as<std::string>("");
  std::erase(token, '-');
  return token;
}

core::Pin ReadPin(const pqxx::field& number, const pqxx::field& token) {
  return {number.as<std::int64_t>(), ReadToken(token)};
}

std::string ReadBytes(const pqxx::field& field) {
  const std::string_view hex(field.c_str(), field.size());
  return core::FromHex(hex.substr(2)).value();  // after "\x"
}

}  // namespace tunehub::server
