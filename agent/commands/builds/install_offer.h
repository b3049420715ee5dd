// What a hub offers an install, and what installing it would do.
#pragma once

#include <string>

#include "agent/aiter/install/install_plan.h"
#include "agent/commands/builds/install_report.h"
#include "agent/commands/builds/install_site.h"
#include "agent/hub/bundle.h"
#include "agent/hub/hub_client.h"
#include "core/builds/manifest.h"

namespace tunehub::agent {

// Where an install takes its tables from.
struct InstallSource {
  const Configuration& configuration;
  const InstallOptions& options;
  const InstallSite& site;
  HubClient& hub;
  const Pauses& pauses;
};

// The hub's tables for one build, and what installing them would do.
struct InstallOffer {
  InstallFacts facts;
  Bundle bundle;
  InstallPlan plan;
};

// Of the build that the hub knows as `build` ("": of none). Errors: the hub's, those of a bundle.
core::Result<InstallOffer> FetchOffer(const InstallSource& source, const std::string& build,
                                      const core::Manifest* manifest);
// The same for `manifest`, of which the hub is told.
core::Result<InstallOffer> OfferFor(const InstallSource& source, const core::Manifest& manifest);

// Whether it would lose rows of the tree without --force.
bool Loses(const InstallOffer& offer, const InstallOptions& options);

}  // namespace tunehub::agent
