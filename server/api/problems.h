// Errors as HTTP: one table from code to status.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/table/tuned_table.h"
#include "server/http/response.h"
#include "server/service/registry/write.h"

namespace tunehub::api {

// 422 for a code that the table does not name: what most refused content is.
int StatusOf(std::string_view code);

// With Retry-After where it is 503.
http::Response ProblemFor(const core::Error& error);
http::Response ProblemFor(const core::Error& error, const std::vector<core::RowIssue>& issues);

// A write's receipt, or its refusal.
http::Response WriteResponse(const service::WriteAnswer& answer);

// 503 with Retry-After: the database is gone.
http::Response UnavailableProblem(std::string_view detail);

}  // namespace tunehub::api
