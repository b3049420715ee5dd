-- The shape keys that need a choice, and the chosen rows. change: the batch of the change; null: the transaction's
-- batch.
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
