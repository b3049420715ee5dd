-- Keys of which a staged row calls a candidate wrong, or is a choice or a time that is not known of a candidate
-- that was called wrong: what such a candidate stands by follows from all its rows.
INSERT INTO touched (key, provider)
SELECT DISTINCT s.key, s.provider
FROM stage s
LEFT JOIN candidate c ON c.key = s.key AND c.provider = s.provider AND c.candidate = s.candidate
WHERE s.standing = 3 OR (s.standing IN (1, 2) AND c.standing = 3)
ON CONFLICT DO NOTHING
