-- Jobs whose shapes get no other job. Includes parked jobs, which wait for a person's retry. $3: their families.
SELECT family, shapes, purpose, id FROM job
WHERE state <> 'done' AND gfx = $1 AND ($2 = 0 OR cu_num IN (0, $2)) AND family = ANY ($3::smallint[])
