-- Staged rows that their source has had before, and as what.
CREATE TEMPORARY TABLE known (
  staged bigint NOT NULL,
  id     bigint NOT NULL,
  key    uuid NOT NULL
) ON COMMIT DROP;
-- Keys that the import in force of a source has, and a newer one lacks.
CREATE TEMPORARY TABLE going (
  key      uuid NOT NULL,
  provider smallint NOT NULL,
  line     text NOT NULL
) ON COMMIT DROP;
