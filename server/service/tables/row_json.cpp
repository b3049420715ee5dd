#include "server/service/tables/row_json.h"

#include <nlohmann/json.hpp>

#include "core/row/row_json.h"
#include "core/table/table_writer.h"

namespace tunehub::service {

nlohmann::ordered_json RowJson(const core::Family& family, const TunedRow& row) {
  std::string scratch;
  nlohmann::ordered_json json = core::RowJson(family, core::SplitLine(row.line, scratch));
  json["standing"] = core::Name(row.standing);
  json["baseline"] = row.baseline;
  json["provider"] = registry::Name(row.provider);
  return json;
}

}  // namespace tunehub::service
