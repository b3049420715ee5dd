#include <limits>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

http::Response PostResults(Services& services, const http::Request& request,
                           std::string_view family_name, const Caller& caller) {
  const auto post = ReadTablePost(services, request, family_name, caller,
                                  {"run", "atomic", "dry_run", "allow_shrink"});
  if (!post.ok()) return ProblemFor(post.error());
  const auto run = NumberParameter(request, "run", 1, std::numeric_limits<std::int64_t>::max());
  if (!run.ok()) return ProblemFor(run.error());
  return WriteResponse(
      services.ingest.Results(*post->family, post->body, post->format, *run, post->write));
}

}  // namespace

std::vector<Endpoint> ResultRoutes(Services& services) {
  return {{"POST", "/results/{family}", With(services, PostResults, "family"), "submit", true}};
}

}  // namespace tunehub::api
