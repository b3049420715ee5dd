-- Updates the candidates whose rows all have one owner and are not wrong, by StandsBy of tests/support/winner_rule.h.
-- A new measurement makes a wrong candidate right again. Touches all other shape keys, for rebuild_candidates.sql: keys
-- with a candidate of several owners, with relative times, with other samples of a candidate, or with an unconfirmed
-- row. $1: the batches with their runs.
WITH entered AS (
  INSERT INTO candidate AS c (key, candidate, run, run_time, us, error, measurement, provider, standing, owner, rank,
                              low, high)
  SELECT s.key, s.candidate, r.hash, (extract(epoch FROM r.started) * 1000000)::bigint, s.us, s.error, s.id,
         s.provider, s.standing, r.owner, rank_of(r.trusted, s.reason), s.low, s.high
  FROM stage s
  JOIN json_to_recordset($1::json) AS g(batch bigint, run bigint) ON g.batch = s.id >> 20
  JOIN run r ON r.id = g.run
  WHERE s.standing < 3
  ON CONFLICT (key, provider, candidate) DO UPDATE
  SET run = excluded.run, run_time = excluded.run_time, us = excluded.us, error = excluded.error,
      measurement = excluded.measurement, standing = excluded.standing, rank = excluded.rank,
      owner = CASE WHEN c.owner = excluded.owner THEN c.owner END
  WHERE c.owner IS DISTINCT FROM excluded.owner
     OR c.standing = 3 AND excluded.standing = 0
     OR c.standing <> 3
    AND (CASE excluded.standing WHEN 2 THEN 0 WHEN 1 THEN 1 ELSE 2 END, excluded.run_time, excluded.run)
      > (CASE c.standing WHEN 2 THEN 0 WHEN 1 THEN 1 ELSE 2 END, c.run_time, c.run)
  RETURNING key, provider, measurement, owner
)
INSERT INTO touched (key, provider, change)
SELECT key, provider, measurement >> 20 FROM entered WHERE owner IS NULL
UNION
SELECT s.key, s.provider, s.id >> 20
FROM stage s
JOIN json_to_recordset($1::json) AS g(batch bigint, run bigint) ON g.batch = s.id >> 20
JOIN run r ON r.id = g.run
CROSS JOIN registry f
LEFT JOIN candidate c ON c.key = s.key AND c.provider = s.provider AND c.candidate = s.candidate
WHERE s.standing < 3
  AND (s.relative OR s.low IS NOT NULL AND c.key IS NOT NULL OR c.low IS NOT NULL
       -- Rows of a hub with one owner need no confirmation. PostgreSQL evaluates this subquery once.
       OR f.confirm_factor > 0 AND (SELECT min(owner) < max(owner) FROM run)
          AND EXISTS (SELECT FROM candidate o
                      WHERE o.key = s.key AND o.provider = s.provider
                        AND (o.unconfirmed IS NOT NULL
                             OR o.standing = 0 AND s.us * f.confirm_factor < o.us AND o.owner IS DISTINCT FROM r.owner)))
ON CONFLICT DO NOTHING
