-- What the candidates of the touched keys stand by (Displaces of core/row/winner.h), from the measurements of
-- active runs alone.
DELETE FROM candidate c USING touched t WHERE c.key = t.key AND c.provider = t.provider;
INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, standing)
SELECT DISTINCT ON (m.key, m.provider, m.candidate)
       m.key, m.candidate, r.hash, (extract(epoch FROM r.started) * 1000000)::bigint,
       m.us, m.error, m.id, m.provider, m.standing
FROM touched t
JOIN measurement m ON m.key = t.key AND m.provider = t.provider
JOIN run r ON r.id = m.run AND r.active
WHERE m.standing < 4
ORDER BY m.key, m.provider, m.candidate, CASE m.standing WHEN 2 THEN 2 WHEN 1 THEN 1 ELSE 0 END,
         r.started DESC, r.hash DESC
