-- $1: the batches, each with the families that it changed. In the order of ids, each batch that changed a family gets a
-- revision. $2: the kind, $3: the cause. Every batch counts as a write.
-- Only the receipts follow in the transaction, so the registry's row is locked for moments. No number is ever skipped.
WITH asked AS (
  SELECT batch, families, row_number() OVER (ORDER BY batch) AS place, count(*) OVER () AS total
  FROM json_to_recordset($1::json) AS g(batch bigint, families json)
  WHERE json_array_length(families) > 0
), taken AS (
  UPDATE registry
  SET revision = revision + (SELECT count(*) FROM asked), evidence = evidence + json_array_length($1::json)
  RETURNING revision
), made AS (
  INSERT INTO revision (number, change, kind, cause)
  SELECT t.revision - a.total + a.place, a.batch, $2, $3 FROM asked a CROSS JOIN taken t
  RETURNING number, change, token
), of_family AS (
  INSERT INTO revision_family (family, number, family_version, targets_version, changed)
  SELECT f.id, m.number, f.version, (SELECT max(version) FROM targets_version), c.changed
  FROM made m
  JOIN asked a ON a.batch = m.change
  CROSS JOIN json_to_recordset(a.families) AS c(family smallint, changed bigint)
  JOIN family f ON f.id = c.family
)
SELECT change, number, token FROM made
