-- Jobs whose shapes get no other job: also parked ones, whose retry a person decides; with $3 also done ones.
SELECT family, shapes, purpose FROM job
WHERE (state <> 'done' OR $3) AND gfx = $1 AND ($2 = 0 OR cu_num IN (0, $2))
