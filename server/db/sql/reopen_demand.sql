-- Releases demand from a job that finished 30 days ago without a row for its shape. Another job may
-- then take it.
UPDATE demand d SET job = NULL
FROM job j
WHERE j.id = d.job AND j.state = 'done' AND j.finished < now() - interval '30 days'
