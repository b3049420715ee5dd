-- The last revision of a family under the file $2, and the file's version then. A file that came into force repeatedly
-- has several versions. A version under which no row changed has no revision.
SELECT coalesce(f.number, 0), token_of(coalesce(f.number, 0)), v.version
FROM family_version v
LEFT JOIN revision_family f ON f.family = v.family AND f.family_version = v.version
WHERE v.family = $1 AND v.sha256 = $2
ORDER BY f.number DESC NULLS LAST, v.version DESC LIMIT 1
