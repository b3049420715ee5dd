SELECT r.number, f.name, r.family_version, r.changed, coalesce(r.body_sha256, '')
FROM revision_family r JOIN family f ON f.id = r.family
WHERE r.number BETWEEN $1 AND $2 ORDER BY r.number DESC, f.name
