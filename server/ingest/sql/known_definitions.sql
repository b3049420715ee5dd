SELECT f.id, f.name, f.version, v.sha256
FROM family f JOIN family_version v ON v.family = f.id AND v.version = f.version
