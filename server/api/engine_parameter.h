// engine and rocm as requests name them: whose reading of the tables an answer goes by.
#pragma once

#include <string>

#include "server/api/services.h"
#include "server/http/request.h"

namespace tunehub::api {

struct EngineChoice {
  const core::EngineReads* engine = nullptr;  // null: none; every table that could be asked counts
  std::string rocm;                           // "": the newest
  std::string name() const { return engine == nullptr ? "any" : engine->name; }
};

// engine absent: the usual one; "any": none. Error bad_parameter.
core::Result<EngineChoice> EngineOf(const Services& services, const http::Request& request);

}  // namespace tunehub::api
