// A database as it was before migration 17: nobody's word counts more than another's.
#pragma once

namespace tunehub::test {

inline constexpr const char* kUndoTrust = R"(
  DROP VIEW in_order;
  CREATE VIEW in_order AS
  SELECT i.*, r.hash, (extract(epoch FROM r.started) * 1000000)::bigint AS run_time
  FROM in_force i
  JOIN run r ON r.id = CASE WHEN i.source IS NULL THEN i.run
                            ELSE place_of(i.source_name, i.runs, i.counted_by) END;
  DROP FUNCTION rank_of;
  DROP TABLE loss;
  ALTER TABLE candidate DROP COLUMN owner, DROP COLUMN rank;
  ALTER TABLE job DROP COLUMN owner;
  ALTER TABLE run DROP COLUMN trusted;
  ALTER TABLE tuned DROP COLUMN relative;
  DELETE FROM schema_version WHERE version > 16;
)";

}  // namespace tunehub::test
