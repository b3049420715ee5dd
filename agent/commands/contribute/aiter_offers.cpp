#include "agent/commands/contribute/aiter_offers.h"

#include "agent/aiter/build_scan.h"
#include "agent/commands/contribute/aiter_contribution.h"
#include "agent/commands/contribute/bucket_contribution.h"
#include "agent/commands/contribute/store_folders.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

// Of AITER's Triton configs; null: the reader files have none.
const core::ReaderStore* BucketStore(const Configuration& configuration) {
  const core::Reader* const aiter = configuration.readers.Find(kAiterReader);
  if (aiter == nullptr) return nullptr;
  for (const core::ReaderStore& store : aiter->stores) {
    if (store.body == core::BodyKind::kBuckets) return &store;
  }
  return nullptr;
}

// A tree of tables alone tells of no kernels.
std::optional<core::Manifest> KernelsOf(const Configuration& configuration,
                                        const std::string& tree) {
  auto scan = ScanBuild(configuration, {tree, {}, {}});
  if (!scan.ok()) return std::nullopt;
  return std::move(scan->manifest);
}

core::Result<Contribution> TablesOfAiter(const Configuration& configuration,
                                         const ContributeOptions& options, Offer offer) {
  const auto build = KernelsOf(configuration, options.tree);
  return ContributeToAiter(
      configuration, std::move(offer),
      {options.tree, options.model, options.file, options.against, build ? &*build : nullptr});
}

core::Result<Contribution> BucketsOfAiter(const Configuration& configuration,
                                          const ContributeOptions& options, Offer offer) {
  BucketSite site{configuration.readers.Find(kAiterReader),
                  BucketStore(configuration),
                  options.tree,
                  options.against,
                  {}};
  for (const std::string& file : options.measured) {
    const auto bytes = core::FileBytes::Read(file);
    if (!bytes.ok()) return bytes.error();
    if (auto added = buckets::AddRuns(file, bytes->view(), site.runs); !added.ok()) {
      return added.error();
    }
  }
  return ContributeBuckets(std::move(offer), site);
}

}  // namespace

std::vector<const core::Family*> FamiliesOfAiter(const Configuration& configuration,
                                                 const std::string& tree) {
  std::vector<const core::Family*> families;
  for (const auto& family : configuration.families.all()) {
    const bool table = !family->env.empty() && family->objective != core::kNoColumn;
    if (table) families.push_back(family.get());
  }
  const core::ReaderStore* const store = BucketStore(configuration);
  const bool buckets = store != nullptr &&
                       StoreFolders(*configuration.readers.Find(kAiterReader), *store, tree).ok();
  if (buckets) families.push_back(store->family);
  return families;
}

core::Result<Contribution> ContributeToAiterTree(const Configuration& configuration,
                                                 const ContributeOptions& options, Offer offer) {
  const core::ReaderStore* const store = BucketStore(configuration);
  // A tree that has no file of theirs is no error where no row is.
  std::erase_if(offer.families, [](const FamilyOffer& it) { return it.rows.empty(); });
  Offer triton;
  std::erase_if(offer.families, [&](FamilyOffer& it) {
    const bool buckets = store != nullptr && it.family == store->family;
    if (buckets) triton.families.push_back(std::move(it));
    return buckets;
  });
  if (offer.families.empty() && triton.families.empty()) {
    Contribution nothing;
    nothing.left_out = std::move(offer.left_out);
    return nothing;
  }
  if (triton.families.empty()) return TablesOfAiter(configuration, options, std::move(offer));
  if (offer.families.empty()) {
    triton.left_out = std::move(offer.left_out);
    return BucketsOfAiter(configuration, options, std::move(triton));
  }
  auto all = TablesOfAiter(configuration, options, std::move(offer));
  if (!all.ok()) return all;
  auto more = BucketsOfAiter(configuration, options, std::move(triton));
  if (!more.ok()) return more;
  all->Add(*std::move(more));
  return all;
}

}  // namespace tunehub::agent
