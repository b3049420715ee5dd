-- Jobs that are not done. A plan makes no other job for their shapes. Includes parked jobs, which wait for an admin's
-- retry. $3: families.
SELECT family, shapes, purpose, id FROM job
WHERE state <> 'done' AND gfx = $1 AND ($2 = 0 OR cu_num IN (0, $2)) AND family = ANY ($3::smallint[])
