-- A run has as many rows as it records: this finds even a lost row that nothing else names.
WITH counted AS (
  SELECT run, count(*) AS stored FROM measurement GROUP BY run
), repeated AS (
  SELECT r.id, count(*) AS rows
  FROM run r
  JOIN source s ON s.name = r.source
  JOIN measurement m ON m.source = s.id AND m.runs @> r.id
  GROUP BY r.id
)
SELECT format('run %s%s is said to have %s rows, %s of them stored with it; there are %s and %s', r.id,
              coalesce(' of source ' || r.source, ''), r.rows, r.stored,
              CASE WHEN r.source IS NULL THEN coalesce(c.stored, 0) ELSE coalesce(p.rows, 0) END,
              coalesce(c.stored, 0))
FROM run r
LEFT JOIN counted c ON c.run = r.id
LEFT JOIN repeated p ON p.id = r.id
WHERE r.stored <> coalesce(c.stored, 0)
   OR r.rows <> CASE WHEN r.source IS NULL THEN coalesce(c.stored, 0) ELSE coalesce(p.rows, 0) END
ORDER BY r.id
