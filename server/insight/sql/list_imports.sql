-- The newest $2 imports and reverts of the last $1 days that changed served rows. $3: only changes of this family
-- (null: any family).
SELECT r.number, r.token, r.created, r.kind, r.cause, b.run
FROM revision r
LEFT JOIN batch b ON b.id = r.change
WHERE r.kind IN ('import', 'revert') AND r.created > now() - $1 * interval '1 day'
  AND ($3::smallint IS NULL OR EXISTS (SELECT FROM revision_family f WHERE f.number = r.number AND f.family = $3))
ORDER BY r.number DESC LIMIT $2
