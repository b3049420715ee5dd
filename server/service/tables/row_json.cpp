#include "server/service/tables/row_json.h"

#include <nlohmann/json.hpp>

#include "core/row/row_json.h"
#include "core/table/table_writer.h"

namespace tunehub::service {

nlohmann::ordered_json RowJson(const core::Family& family, const TunedRow& row) {
  std::string scratch;
  nlohmann::ordered_json json = core::RowJson(family, core::SplitLine(row.line, scratch));
  // A row that is of a device has no such columns: its target is what is known of the device.
  if (family.gfx == core::kNoColumn) {
    json["gfx"] = row.gfx;
    json["cu_num"] = row.cu_num;
  }
  json["standing"] = core::Name(row.standing);
  json["baseline"] = row.baseline;
  json["provider"] = registry::Name(row.provider);
  return json;
}

}  // namespace tunehub::service
