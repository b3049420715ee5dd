DELETE FROM agent
WHERE last_seen < now() - $1 * interval '1 millisecond'
  AND NOT EXISTS (SELECT FROM job WHERE job.instance = agent.instance AND job.state = 'running')
