-- Touches shape keys with a staged row that is wrong, or that is an unmeasured or declared row of a wrong candidate.
-- The state of such a candidate depends on all its rows.
INSERT INTO touched (key, provider)
SELECT DISTINCT s.key, s.provider
FROM stage s
LEFT JOIN candidate c ON c.key = s.key AND c.provider = s.provider AND c.candidate = s.candidate
WHERE s.standing = 3 OR (s.standing IN (1, 2) AND c.standing = 3)
ON CONFLICT DO NOTHING
