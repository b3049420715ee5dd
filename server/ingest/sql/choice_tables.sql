-- The keys to choose for, and the chosen rows. change: the batch to which the change belongs; null: the transaction's.
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
