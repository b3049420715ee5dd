-- The definitions in force: targets.json as number 0, and the families.
(SELECT 0 AS id, 'targets.json' AS name, version, sha256 FROM targets_version ORDER BY version DESC LIMIT 1)
UNION ALL
SELECT f.id, f.name, f.version, v.sha256
FROM family f JOIN family_version v ON v.family = f.id AND v.version = f.version
