-- Staged rows that their source has had before, and as what.
CREATE TEMPORARY TABLE known (
  staged bigint NOT NULL,
  id     bigint NOT NULL,
  key    uuid NOT NULL
) ON COMMIT DROP;
