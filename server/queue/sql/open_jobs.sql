-- Jobs that are not done. A plan makes no other job for their shapes. Includes parked jobs, which wait for an admin's
-- retry. $3: families. Includes done jobs that have the demand $4: they ended after a claim read the demand as open.
SELECT family, shapes, purpose, id FROM job
WHERE state <> 'done' AND gfx = $1 AND ($2 = 0 OR cu_num IN (0, $2)) AND family = ANY ($3::smallint[])
UNION ALL
SELECT family, shapes, purpose, id FROM job
WHERE state = 'done' AND id IN (SELECT job FROM demand WHERE id = ANY ($4::uuid[]))
