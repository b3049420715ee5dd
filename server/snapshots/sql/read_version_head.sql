-- The last revision of a family while the file $2 was in force, and the file's version at that time. A file that came
-- into force several times has several versions. A version has no revision if no row changed while it was in force.
SELECT coalesce(f.number, 0), token_of(coalesce(f.number, 0)), v.version
FROM family_version v
LEFT JOIN revision_family f ON f.family = v.family AND f.family_version = v.version
WHERE v.family = $1 AND v.sha256 = $2
ORDER BY f.number DESC NULLS LAST, v.version DESC LIMIT 1
