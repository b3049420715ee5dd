-- Checks that a run has as many rows as it records. This check even finds a lost row to which no other row refers.
WITH counted AS (
  SELECT run, count(*) AS stored FROM measurement GROUP BY run
), edge AS (
  -- The number of rows that a source gains or loses at an import. The sum up to an import is the number of the
  -- import's rows. This query reads each row once, even if many imports contain it.
  SELECT m.source, e.at, sum(e.rows) AS rows
  FROM measurement m
  CROSS JOIN LATERAL (SELECT lower(part) AS at, 1 AS rows FROM unnest(m.runs) AS part
                      UNION ALL
                      SELECT upper(part), -1 FROM unnest(m.runs) AS part WHERE NOT upper_inf(part)) AS e
  GROUP BY m.source, e.at
), repeated AS (
  SELECT r.id, (SELECT sum(e.rows) FROM edge e WHERE e.source = s.id AND e.at <= r.id) AS rows
  FROM run r
  JOIN source s ON s.name = r.source
)
SELECT format('run %s%s has a count of %s rows, %s of them stored with it, but there are %s and %s', r.id,
              coalesce(' of source ' || r.source, ''), r.rows, r.stored,
              CASE WHEN r.source IS NULL THEN coalesce(c.stored, 0) ELSE coalesce(p.rows, 0) END,
              coalesce(c.stored, 0))
FROM run r
LEFT JOIN counted c ON c.run = r.id
LEFT JOIN repeated p ON p.id = r.id
WHERE r.stored <> coalesce(c.stored, 0)
   OR r.rows <> CASE WHEN r.source IS NULL THEN coalesce(c.stored, 0) ELSE coalesce(p.rows, 0) END
ORDER BY r.id
