// A database as it was before migration 12: a revision has a number alone.
#pragma once

namespace tunehub::test {

inline constexpr const char* kUndoTokens = R"(
  DROP TRIGGER registry_stamp ON registry;
  DROP FUNCTION stamp_write, token_of;
  ALTER TABLE revision DROP COLUMN token;
  ALTER TABLE registry DROP COLUMN origin, DROP COLUMN stamp;
  ALTER TABLE key_epoch DROP COLUMN stamp;
  CREATE OR REPLACE FUNCTION bump_key_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE key_epoch SET epoch = epoch + 1;
    RETURN NULL;
  END $$;
  DELETE FROM schema_version WHERE version > 11;
)";

}  // namespace tunehub::test
