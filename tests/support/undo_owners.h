// A database as it was before migration 13: nothing has an owner, and 14 and 15 have made no index.
#pragma once

namespace tunehub::test {

inline constexpr const char* kUndoOwners = R"(
  ALTER TABLE audit DROP COLUMN id, DROP COLUMN owner, DROP COLUMN request;
  DROP TRIGGER api_key_epoch ON api_key;
  ALTER TABLE api_key DROP COLUMN owner, DROP COLUMN limits;
  CREATE TRIGGER api_key_epoch
    AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE OF sha256, scope, expires, revoked ON api_key
    FOR EACH STATEMENT EXECUTE FUNCTION bump_key_epoch();
  DROP INDEX batch_of_owner;
  ALTER TABLE batch DROP COLUMN owner;
  ALTER TABLE run DROP COLUMN owner;
  ALTER TABLE source DROP COLUMN owner;
  DROP INDEX tuned_unserved, measurement_default, tuned_by_change;
  DELETE FROM schema_version WHERE version > 12;
)";

}  // namespace tunehub::test
