-- $1: the families that each batch touched, with `revised` if it changed served rows. $2: the kind. $3: the cause.
-- Each batch with a revised family gets a revision, in the order of batch ids. The numbers have no gaps. After this
-- statement the transaction only stores receipts, so the registry's row stays locked only briefly.
WITH touched AS (
  SELECT * FROM json_to_recordset($1::json)
    AS t(batch bigint, family smallint, changed bigint, stored bigint, revised boolean)
), asked AS (
  SELECT batch, row_number() OVER (ORDER BY batch) AS place, count(*) OVER () AS total
  FROM touched WHERE revised GROUP BY batch
), noted AS (
  UPDATE family f SET written = f.written + t.stored, evidence = gen_random_uuid()
  FROM (SELECT family, sum(stored) AS stored FROM touched GROUP BY family) AS t
  WHERE f.id = t.family
), taken AS (
  UPDATE registry SET revision = revision + (SELECT count(*) FROM asked) WHERE EXISTS (SELECT FROM asked)
  RETURNING revision
), made AS (
  INSERT INTO revision (number, change, kind, cause)
  SELECT t.revision - a.total + a.place, a.batch, $2, $3 FROM asked a CROSS JOIN taken t
  RETURNING number, change, token
), of_family AS (
  INSERT INTO revision_family (family, number, family_version, targets_version, changed)
  SELECT f.id, m.number, f.version, (SELECT max(version) FROM targets_version), t.changed
  FROM made m
  JOIN touched t ON t.batch = m.change AND t.revised
  JOIN family f ON f.id = t.family
)
SELECT change, number, token FROM made
