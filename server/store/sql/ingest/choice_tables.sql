-- The keys to choose for, and what was chosen.
CREATE TEMPORARY TABLE touched (
  key      uuid NOT NULL,
  provider smallint NOT NULL,
  PRIMARY KEY (key, provider)
) ON COMMIT DROP;
CREATE TEMPORARY TABLE best (
  key         uuid NOT NULL,
  provider    smallint NOT NULL,
  candidate   uuid,
  measurement bigint,
  standing    smallint,
  why         smallint,
  PRIMARY KEY (key, provider)
) ON COMMIT DROP;
