-- The keys to choose for, and what was chosen. change: the batch whose change it is; null: that of the
-- transaction.
CREATE TEMPORARY TABLE touched (
  key      uuid NOT NULL,
  provider smallint NOT NULL,
  change   bigint,
  PRIMARY KEY (key, provider)
) ON COMMIT DROP;
CREATE TEMPORARY TABLE best (
  key         uuid NOT NULL,
  provider    smallint NOT NULL,
  candidate   uuid,
  measurement bigint,
  standing    smallint,
  why         smallint,
  change      bigint,
  PRIMARY KEY (key, provider)
) ON COMMIT DROP;
