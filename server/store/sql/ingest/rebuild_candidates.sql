-- What the candidates of the touched keys stand by (Displaces of core/row/winner.h), from the measurements
-- that count alone.
DELETE FROM candidate c USING touched t WHERE c.key = t.key AND c.provider = t.provider;
INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, standing)
SELECT DISTINCT ON (m.key, m.provider, m.candidate)
       m.key, m.candidate, m.hash, m.run_time, m.us, m.error, m.id, m.provider, m.standing
FROM touched t
JOIN in_order m ON m.key = t.key AND m.provider = t.provider
WHERE m.standing < 4
ORDER BY m.key, m.provider, m.candidate, CASE m.standing WHEN 2 THEN 2 WHEN 1 THEN 1 ELSE 0 END,
         m.run_time DESC, m.hash DESC
