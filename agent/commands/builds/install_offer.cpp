#include "agent/commands/builds/install_offer.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/aiter/install/unmeasured_times.h"
#include "agent/commands/builds/build_sender.h"
#include "agent/hub/problem.h"
#include "agent/tuning/device/this_device.h"
#include "core/base/ascii.h"
#include "core/base/trim.h"
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
  if (options.native) {
    parameters.emplace_back("target",
                            options.native->gfx + ":" + std::to_string(options.native->cu_num));
  } else if (!options.gpu_archs.empty()) {
    parameters.emplace_back("gpu_archs", options.gpu_archs);
  }
  if (options.measured_only) parameters.emplace_back("measured", "only");
  const std::string query = QueryString(parameters);
  const Request request{"GET", "/bundle" + (query.empty() ? "" : "?" + query), {}, ""};
  auto answer = SendWithRetries(hub, request, options.retry, pauses);
  if (!answer.ok() || answer->status == 200) return answer;
  return ToError(ProblemOf(*answer));
}

}  // namespace

core::Status ResolveNative(InstallOptions& options) {
  if (core::Lower(core::Trim(options.gpu_archs)) != kNativeGpu) return core::Ok();
  const auto device = tuning::AmdDevice(options.device_root);
  if (!device.ok()) {
    return core::Error{
        device.error().code,
        fmt::format("--gpu-archs {}: {}; name the GPUs instead, such as --gpu-archs gfx942;gfx950",
                    options.gpu_archs, device.error().detail)};
  }
  options.native = device->target;
  return core::Ok();
}

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
                           .native = source.options.native,
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
