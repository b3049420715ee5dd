-- Keys whose holder this batch may change: a staged row beats it, is it, or there was none. A new key
-- with several candidates in the batch comes here too, for the reason of its winner.
INSERT INTO touched (key, provider)
SELECT DISTINCT s.key, s.provider
FROM stage s
JOIN tuned t ON t.key = s.key AND t.provider = s.provider
LEFT JOIN candidate c ON c.key = t.key AND c.provider = t.provider AND c.candidate = t.candidate
WHERE s.standing < 3
  AND (t.measurement IS NULL OR t.why IS NULL OR s.candidate = t.candidate
       OR s.standing < c.standing
       OR (s.standing = c.standing
           AND (s.standing = 1 OR c.us IS NULL OR s.us < c.us
                OR (s.us = c.us AND (c.error IS NULL OR s.error <= c.error)))))
