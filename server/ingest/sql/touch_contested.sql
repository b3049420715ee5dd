-- Touches shape keys for which this batch may change the holder (the served candidate), or the reason why the holder
-- won (`why`):
-- - The key has no holder, or a staged row beats the holder or has the holder's candidate.
-- - The reason may change: the holder had no rival, or only unmeasured rivals and one is measured now, or an equal time
--   or error decided, or a rival no longer competes.
-- - The key has a baseline, a relative time or no reason. A new key with several candidates in the batch has no reason
--   yet.
-- - With samples, a slower row may also change the set of tied candidates.
INSERT INTO touched (key, provider, change)
SELECT DISTINCT s.key, s.provider, s.id >> 20
FROM stage s
JOIN tuned t ON t.key = s.key AND t.provider = s.provider
LEFT JOIN candidate c ON c.key = t.key AND c.provider = t.provider AND c.candidate = t.candidate
WHERE s.standing < 4
  AND (t.measurement IS NULL OR t.why IS NULL OR s.candidate = t.candidate OR t.baseline
       OR t.why IN (0, 2, 3) OR t.relative OR s.low IS NOT NULL OR c.low IS NOT NULL
       OR (t.why = 4 AND s.standing = 0)
       OR s.standing = 3
       OR s.standing < c.standing
       OR (s.standing = c.standing
           AND (s.standing > 0 OR c.us IS NULL OR s.us <= c.us)))
ON CONFLICT DO NOTHING
