-- The staged rows that their source already had, with the measurement's id.
CREATE TEMPORARY TABLE known (
  staged bigint NOT NULL,
  id     bigint NOT NULL,
  key    uuid NOT NULL
) ON COMMIT DROP;
