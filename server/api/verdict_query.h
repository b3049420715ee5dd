// What a verdict is asked of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/pin.h"
#include "server/api/services.h"
#include "server/http/request.h"
#include "server/service/tables/verdict.h"

namespace tunehub::api {

struct VerdictQuery {
  service::VerdictQuestion question;  // without its revision
  std::optional<core::Pin> revision;
  std::optional<service::Concern> list;  // that is to be answered, a page of it
  std::size_t offset = 0, limit = 0;
};

// Errors: unknown_parameter, bad_parameter, unknown_family.
core::Result<VerdictQuery> ReadVerdictQuery(const Services& services, const http::Request& request);

// "?gfx=gfx942&cu_num=304&build=...": what the tables are asked for by, without the revision.
// `build`: NAME@SHA256; "": none.
std::string TableText(const VerdictQuery& query, const std::string& build);

}  // namespace tunehub::api
