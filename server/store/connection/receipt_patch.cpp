#include "server/store/connection/receipt_patch.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"

namespace tunehub::store {

std::string PatchReceipt(const std::string& receipt, const std::string& patch) {
  auto json = core::SureJsonAs<nlohmann::ordered_json>(receipt);
  json.merge_patch(core::SureJsonAs<nlohmann::ordered_json>(patch));
  return json.dump();
}

std::string ReadReceipt(const pqxx::row& row, const std::string& otherwise) {
  auto receipt = row["receipt"].as<std::string>(otherwise);
  if (row["repeated"].is_null()) return receipt;
  return PatchReceipt(row["repeated"].as<std::string>(), receipt);
}

}  // namespace tunehub::store
