SELECT f.number, r.token, f.family_version, coalesce(f.body_sha256, '')
FROM revision_family f JOIN revision r USING (number)
WHERE f.family = $1 AND f.number <= $2
ORDER BY f.number DESC LIMIT 1
