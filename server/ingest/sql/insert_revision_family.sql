INSERT INTO revision_family (family, number, family_version, targets_version, changed)
SELECT f.id, $2, f.version, (SELECT max(version) FROM targets_version), $3
FROM family f WHERE f.id = $1
