// Fetches a reader's files and puts them into the folder that its variable names.
#pragma once

#include <optional>
#include <string>

#include "agent/commands/hub/table_pull.h"
#include "agent/hub/tree_folder.h"

namespace tunehub::agent {

class TreePull : public PullOne {
 public:
  // `reader`: the agent's own; it must outlive this.
  TreePull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
           const core::Reader& reader)
      : PullOne(options, hub, pauses, console), reader_(reader) {}

  // Errors, beside those of PullOne: foreign_files (the folder holds what no pull put there, or
  // something that was changed, which only --force gives up), bad_tree and others of ParseTree.
  core::Result<Pulled> Get(const std::string& target) override;
  core::Status Write(const std::string& target, const Pulled& pulled) override;
  void Report(const Pulled& pulled) const override;

 private:
  void Warn(const Answer& answer) override;
  // Open, and free of what is somebody's, or --force.
  core::Result<TreeFolder> OpenFolder();

  const core::Reader& reader_;
  std::optional<Tree> tree_;  // the hub's last; nothing where it says that nothing has changed
  bool gave_up_files_ = false;
};

}  // namespace tunehub::agent
