// What is near a file that nobody has rows for: the same of another device, of another version
// folder, of another engine.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/family/family.h"
#include "core/readers/reader.h"
#include "server/service/files/file_form.h"
#include "server/service/registry/snapshot.h"

namespace tunehub::service {

// The inside of a JSON object: "near": [{"reader": "vllm", "path": "E=8,...", "differs":
// ["device"], "device": "AMD_Instinct_MI325X"}], another version of the same first, then sibling
// devices. `near_count` counts them all.
std::string NearFiles(const core::Readers& readers, const FileForm& form,
                      const core::Family& family, const core::Targets& targets,
                      std::span<const std::shared_ptr<const TunedRow>> rows);

}  // namespace tunehub::service
