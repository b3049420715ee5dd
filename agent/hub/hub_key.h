// Finds the public key whose signatures a command trusts, and checks signatures.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "core/base/signature.h"

namespace tunehub::agent {

// The body of the hub's answer to GET `path`.
using BodyOf = std::function<core::Result<std::string>(const std::string& path)>;

class HubKey {
 public:
  // The trusted key is the first of:
  //   1. `given`, the value of --trust: a public key's text, minisign's file with it, or a lock
  //      file
  //   2. `known`, from a lock or an install
  //   3. the key of the first signature, if the hub lists this key (`body_of` is empty if there is
  //      no hub)
  // Errors: bad_public_key, those of LockFile::Load.
  static core::Result<HubKey> Of(const std::string& given, const std::string& known,
                                 BodyOf body_of);

  // `signature`: a .minisig; "": none. `asked`: from core::AskedText; "": any request. Returns the
  // pin that the signature names. If `pin` is given, the signature must name that pin. The returned
  // pin has no token in one case: no key is trusted yet, and there is no signature or no hub that
  // lists its key. Errors: unsigned (although a key is trusted), other_key (no key rotations lead
  // from the trusted key to the signature's key), bad_signature, other_statement, those of
  // `body_of`.
  core::Result<core::Pin> Check(const std::string& signature, std::string_view bytes,
                                const std::string& asked, const std::optional<core::Pin>& pin = {});

  // The text of the trusted key; "": none yet.
  std::string Text() const { return key_ ? key_->Text() : ""; }

 private:
  core::Result<core::PublicKey> Follow(const std::string& id) const;

  std::optional<core::PublicKey> key_;
  BodyOf body_of_;
};

// Errors: older_revision (the hub was rolled back, or hides newer revisions). `newest`: the newest
// revision seen before.
core::Status CheckNotOlder(const core::Pin& pin, const core::Pin& newest, bool allow_older);

struct ChannelPin {
  core::Pin pin;
  std::int64_t sequence = 0;  // the statement's number, from 1
};

// Returns the channel's pin from the hub's signed statement. Errors: those of HubKey::Check,
// bad_answer.
core::Result<ChannelPin> FollowChannel(HubKey& key, const std::string& channel,
                                       const BodyOf& body_of);

}  // namespace tunehub::agent
