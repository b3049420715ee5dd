-- What point $1 was made with.
SELECT m.definition AS models, t.definition AS targets, b.family_versions
FROM point p
JOIN point_basis b ON b.id = p.basis
JOIN models_version m ON m.version = b.models_version
JOIN targets_version t ON t.version = b.targets_version
WHERE p.id = $1
