-- Deletes agents without a heartbeat for 30 days.
DELETE FROM agent
WHERE last_seen < now() - interval '30 days'
  AND NOT EXISTS (SELECT FROM job WHERE job.instance = agent.instance AND job.state = 'running')
