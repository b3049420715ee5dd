SELECT p.id, r.number, r.token, r.created, (extract(epoch FROM r.created) * 1000000)::bigint AS at, r.kind, p.filled_in, b.models_version
FROM point p
JOIN revision r ON r.number = p.revision
JOIN point_basis b ON b.id = p.basis
ORDER BY p.id
