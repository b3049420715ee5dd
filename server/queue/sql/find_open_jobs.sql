-- For each shape in $1, the open job that will tune it. Prefers a running job, then a queued job.
SELECT DISTINCT ON (a.place) a.place, j.id, j.state
FROM json_to_recordset($1::json)
     AS a(place integer, family smallint, gfx text, cu_num integer, shape jsonb)
JOIN job j ON j.state <> 'done' AND j.purpose = 'tune' AND j.family = a.family AND j.gfx = a.gfx
          AND (a.cu_num = 0 OR j.cu_num IN (0, a.cu_num))
WHERE EXISTS (SELECT FROM jsonb_array_elements(j.shapes::jsonb) AS s(shape) WHERE s.shape = a.shape)
ORDER BY a.place, array_position(ARRAY['running', 'queued', 'parked'], j.state), j.id
