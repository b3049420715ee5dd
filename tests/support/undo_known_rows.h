// A database as it was before migration 10: every import stores all of its rows again.
#pragma once

namespace tunehub::test {

inline constexpr const char* kUndoKnownRows = R"(
  INSERT INTO measurement (id, run, key, candidate, us, error, family_version, provider, standing, reason,
                           line, evidence, is_default, searched)
  SELECT (b.id << 20) + (1 << 19) + row_number() OVER (PARTITION BY o.of_run ORDER BY o.key, o.candidate),
         o.of_run, m.key, m.candidate, m.us, m.error, m.family_version, m.provider, m.standing, m.reason,
         m.line, m.evidence, m.is_default, m.searched
  FROM run_row o
  JOIN measurement m ON m.key = o.key AND m.id = o.id
  JOIN batch b ON b.run = o.of_run AND b.kind = 'import'
  WHERE o.of_run <> o.stored_by;
  DROP VIEW run_row, in_order, in_force;
  DROP FUNCTION place_of;
  ALTER TABLE measurement DROP COLUMN source, DROP COLUMN runs;
  ALTER TABLE batch DROP COLUMN repeats;
  ALTER TABLE run DROP COLUMN rows, DROP COLUMN stored, DROP COLUMN repeats, DROP COLUMN digest;
  ALTER TABLE run DROP COLUMN sent;
  DROP TABLE source, sent_report;
  DROP INDEX run_source;
  CREATE INDEX run_source ON run (source) WHERE source IS NOT NULL;
  DELETE FROM schema_version WHERE version > 9;
)";

}  // namespace tunehub::test
