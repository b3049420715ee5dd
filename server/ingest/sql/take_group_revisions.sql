-- As take_revision.sql, of a group's batches ($1): one number for each that changed something, in the order
-- of their ids. $2: the family, $3: the cause. Every batch counts as a write.
WITH asked AS (
  SELECT batch, changed, row_number() OVER (ORDER BY batch) AS place, count(*) OVER () AS total
  FROM json_to_recordset($1::json) AS g(batch bigint, changed bigint)
  WHERE changed > 0
), taken AS (
  UPDATE registry
  SET revision = revision + (SELECT count(*) FROM asked), evidence = evidence + json_array_length($1::json)
  RETURNING revision
), made AS (
  INSERT INTO revision (number, change, kind, cause)
  SELECT t.revision - a.total + a.place, a.batch, 'results', $3 FROM asked a CROSS JOIN taken t
  RETURNING number, change, token
), of_family AS (
  INSERT INTO revision_family (family, number, family_version, targets_version, changed)
  SELECT f.id, m.number, f.version, (SELECT max(version) FROM targets_version), a.changed
  FROM made m
  JOIN asked a ON a.batch = m.change
  JOIN family f ON f.id = $2
)
SELECT change, number, token FROM made
