#include "agent/commands/builds/install_offer.h"

#include <algorithm>

#include "agent/aiter/install/unmeasured_times.h"
#include "agent/commands/builds/build_sender.h"
#include "agent/hub/problem.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

InstallFacts FactsOf(const Answer& answer) {
  InstallFacts facts{ServedStateOf(answer), ReadBuildReport(answer)};
  const auto left = core::ParseInt64(answer.Header("tunehub-unmeasured-left-out"));
  facts.left_unmeasured = static_cast<std::size_t>(std::max<std::int64_t>(left.value_or(0), 0));
  return facts;
}

core::Result<Answer> FetchBundle(const InstallOptions& options, const std::string& build,
                                 HubClient& hub, const Pauses& pauses) {
  Parameters parameters;
  if (!build.empty()) parameters.emplace_back("build", build);
  if (!options.gpu_archs.empty()) parameters.emplace_back("gpu_archs", options.gpu_archs);
  if (options.measured_only) parameters.emplace_back("measured", "only");
  const std::string query = QueryString(parameters);
  const Request request{"GET", "/bundle" + (query.empty() ? "" : "?" + query), {}, ""};
  auto answer = SendWithRetries(hub, request, options.retry, pauses);
  if (!answer.ok() || answer->status == 200) return answer;
  return ToError(ProblemOf(*answer));
}

}  // namespace

core::Result<InstallOffer> FetchOffer(const InstallSource& source, const std::string& build,
                                      const core::Manifest* manifest) {
  auto answer = FetchBundle(source.options, build, source.hub, source.pauses);
  if (!answer.ok()) return answer.error();
  InstallFacts facts = FactsOf(*answer);
  auto bundle = ParseBundle(answer->body);
  if (!bundle.ok()) return bundle.error();
  facts.rewritten_times = WriteUnmeasuredTimes(source.configuration, bundle->tables);
  const InstallJournal* const installed = source.site.installed ? &*source.site.installed : nullptr;
  auto plan = PlanInstall(source.configuration.families, source.configuration.targets,
                          OriginalTables(source.site.paths, installed), bundle->tables,
                          {.gpu_archs = source.options.gpu_archs,
                           .manifest = manifest,
                           .unmeasured = source.options.measured_only});
  if (!plan.ok()) return plan.error();
  return InstallOffer{std::move(facts), *std::move(bundle), *std::move(plan)};
}

bool Loses(const InstallOffer& offer, const InstallOptions& options) {
  return !offer.plan.losses.empty() && !options.force;
}

core::Result<InstallOffer> OfferFor(const InstallSource& source, const core::Manifest& manifest) {
  const auto build =
      SendBuild(source.hub, source.options.retry, source.pauses, source.options.build, manifest);
  if (!build.ok()) return build.error();
  return FetchOffer(source, *build, &manifest);
}

}  // namespace tunehub::agent
