SELECT count(*) FILTER (WHERE state = 'queued'), count(*) FILTER (WHERE state = 'running'),
       count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state = 'parked')
FROM job
