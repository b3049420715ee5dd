SELECT f.name, d.family, d.number FROM revision_family d JOIN family f ON f.id = d.family
WHERE d.body_sha256 IS NOT NULL ORDER BY d.number, d.family
