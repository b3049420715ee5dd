-- What the candidates of the touched keys stand by (StandsBy of core/row/winner.h), from the measurements
-- that count alone.
DELETE FROM candidate c USING touched t WHERE c.key = t.key AND c.provider = t.provider;
WITH wrong AS MATERIALIZED (
  SELECT m.key, m.provider, m.candidate, m.owner, m.decides, m.received
  FROM touched t
  JOIN in_order m ON m.key = t.key AND m.provider = t.provider
  WHERE m.standing = 3
), accused AS MATERIALIZED (
  SELECT DISTINCT key, provider, candidate FROM wrong
)
INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, standing)
SELECT DISTINCT ON (m.key, m.provider, m.candidate)
       m.key, m.candidate, m.hash, m.run_time, m.us, m.error, m.id, m.provider, m.standing
FROM touched t
JOIN in_order m ON m.key = t.key AND m.provider = t.provider
LEFT JOIN accused a ON a.key = m.key AND a.provider = m.provider AND a.candidate = m.candidate
WHERE m.standing < 4
  AND (m.standing = 3 OR a.key IS NULL OR NOT EXISTS (
    SELECT FROM wrong w
    WHERE w.key = m.key AND w.provider = m.provider AND w.candidate = m.candidate
      AND (m.standing > 0 OR w.received > m.received)
    HAVING bool_or(w.decides OR w.owner = m.owner) OR count(DISTINCT w.owner) > 1))
ORDER BY m.key, m.provider, m.candidate, m.standing = 3,
         CASE m.standing WHEN 2 THEN 2 WHEN 1 THEN 1 ELSE 0 END, m.run_time DESC, m.hash DESC
