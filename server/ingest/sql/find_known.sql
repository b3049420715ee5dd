-- Finds the rows of run $2 that the source $1 already had, with the same text, standing, family file and error limit.
INSERT INTO known (staged, id, key)
SELECT DISTINCT ON (s.id) s.id, m.id, m.key
FROM stage s
JOIN measurement m ON m.key = s.key AND m.candidate = s.candidate AND m.provider = s.provider
JOIN run r ON r.id = m.run
WHERE m.source = $1 AND m.line = s.line AND m.family_version = s.family_version
  AND m.standing = s.standing AND m.reason IS NOT DISTINCT FROM s.reason
  AND m.us IS NOT DISTINCT FROM s.us AND m.error IS NOT DISTINCT FROM s.error
  AND m.evidence IS NOT DISTINCT FROM s.evidence
  AND r.error_limit IS NOT DISTINCT FROM (SELECT error_limit FROM run WHERE id = $2)
ORDER BY s.id, upper_inf(m.runs) DESC, m.id DESC
