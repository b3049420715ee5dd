-- Serves the chosen candidates. If only a shape key's measurement changes, but not its line, standing and baseline
-- mark, no served byte changes. Such a change makes no history and no revision.
--
-- A row is a baseline if three conditions are true: its candidate is a default, no search measured the key, and no
-- other candidate was measured (wrong measurements do not count). A default that a search found counts as tuned.
-- Otherwise agents would tune the shape without end. A default may also win although an earlier run measured another
-- candidate as faster. Its row is then a baseline again, unless a later search measured the key.
--
-- $1: the batch of keys without a batch. $2: the first measurement id of this transaction's batches. $3: rows that
-- this transaction brought back. Answers these counts for each batch:
-- - changed keys
-- - changed keys whose served row now is from a batch of this transaction
-- - keys that lost their row or the row's time, or whose earlier row has a candidate that is now wrong
-- - keys that lost their row
-- - keys whose row or reason changed, for each of the reasons kTied, kLikely and kSure
WITH chosen AS (
  SELECT b.*, n.line, n.family_version,
         coalesce(b.standing = 0 AND n.is_default AND (NOT EXISTS (
           SELECT FROM in_force m
           WHERE m.key = b.key AND m.provider = b.provider AND m.standing = 0
             AND (m.searched OR NOT m.is_default AND NOT EXISTS (
               SELECT FROM candidate w
               WHERE w.key = m.key AND w.provider = m.provider AND w.candidate = m.candidate
                 AND w.standing = 3))) OR EXISTS (
           SELECT FROM candidate c
           JOIN in_order d ON d.key = c.key AND d.provider = c.provider AND d.standing = 0 AND d.is_default
                          AND d.run_time < c.run_time
           JOIN in_order k ON k.key = d.key AND k.provider = d.provider AND k.hash = d.hash AND k.standing = 0
                          AND NOT k.is_default AND k.us < d.us
           WHERE c.key = b.key AND c.provider = b.provider AND c.candidate = b.candidate
             AND NOT EXISTS (SELECT FROM in_order l
                             WHERE l.key = b.key AND l.provider = b.provider AND l.searched
                               AND l.run_time > d.run_time))), false) AS baseline
  FROM best b
  LEFT JOIN measurement n ON n.key = b.key AND n.id = b.measurement
), moved AS (
  SELECT t.key, t.provider, t.family, t.measurement AS old_measurement, t.standing AS old_standing,
         t.why AS old_why, t.baseline AS old_baseline, t.change AS old_change,
         coalesce(b.change, $1) AS change, b.candidate,
         b.measurement, b.standing, b.why, b.baseline,
         (o.line IS DISTINCT FROM b.line OR t.standing IS DISTINCT FROM b.standing
          OR o.family_version IS DISTINCT FROM b.family_version
          OR t.baseline <> b.baseline) AS differs,
         EXISTS (SELECT FROM candidate w
                 WHERE w.key = t.key AND w.provider = t.provider AND w.candidate = t.candidate
                   AND w.standing = 3) AS withdrawn
  FROM chosen b
  JOIN tuned t ON t.key = b.key AND t.provider = b.provider
  LEFT JOIN measurement o ON o.key = t.key AND o.id = t.measurement
  WHERE t.measurement IS DISTINCT FROM b.measurement OR t.standing IS DISTINCT FROM b.standing
     OR t.why IS DISTINCT FROM b.why OR t.baseline <> b.baseline
), history AS (
  INSERT INTO tuned_history (key, provider, family, measurement, standing, why, baseline,
                             from_change, to_change)
  SELECT key, provider, family, old_measurement, old_standing, old_why, old_baseline, old_change, change
  FROM moved
  WHERE differs AND old_measurement IS NOT NULL AND old_change <> change
), applied AS (
  UPDATE tuned t
  SET candidate = m.candidate, measurement = m.measurement, standing = m.standing, why = m.why,
      baseline = m.baseline, change = CASE WHEN m.differs THEN m.change ELSE t.change END
  FROM moved m
  WHERE t.key = m.key AND t.provider = m.provider
  RETURNING m.family, m.differs, m.measurement, m.old_change, m.change, m.old_measurement, m.old_standing,
            m.standing, m.withdrawn, m.why
)
SELECT family, count(*) FILTER (WHERE differs AND old_change <> change),
       count(*) FILTER (WHERE (measurement >= $2 OR measurement = ANY ($3::bigint[]))
                              AND differs AND old_change <> change),
       change,
       count(*) FILTER (WHERE old_measurement IS NOT NULL
                          AND (measurement IS NULL OR old_standing = 0 AND standing > 0 OR withdrawn)),
       count(*) FILTER (WHERE old_measurement IS NOT NULL AND measurement IS NULL),
       count(*) FILTER (WHERE why = 7), count(*) FILTER (WHERE why = 8), count(*) FILTER (WHERE why = 9)
FROM applied
GROUP BY family, change
