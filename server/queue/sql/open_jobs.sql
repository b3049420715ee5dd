-- Jobs whose shapes must not get another job: open ones; parked ones, which a person may retry; with $3, those done
-- within 30 days.
SELECT family, shapes, purpose FROM job
WHERE (state <> 'done' OR $3 AND finished > now() - interval '30 days') AND gfx = $1 AND ($2 = 0 OR cu_num IN (0, $2))
