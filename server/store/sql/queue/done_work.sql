-- What done jobs that tuned took, of each family on each target: jobs, shapes, seconds.
SELECT family, gfx, cu_num, count(*), sum(json_array_length(shapes)),
       sum(extract(epoch FROM finished - claimed))::float8
FROM job WHERE state = 'done' AND purpose = 'tune' AND claimed IS NOT NULL
GROUP BY family, gfx, cu_num
