-- Touches shape keys whose holder (the served candidate), or the reason why it won (`why`), this batch may change.
-- Holder: there was none, or a staged row beats it or is of the same candidate. Reason: the holder was alone; its rivals
-- were unmeasured and one is measured now; an equal time or error decided; a rival is out now. Also keys with a
-- baseline, a relative time or no reason. A new key with several candidates in the batch has no reason yet. Where there
-- are samples, also a slower row may change which candidates are tied.
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
