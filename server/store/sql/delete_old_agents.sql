DELETE FROM agent
WHERE last_seen < now() - $1 * interval '1 millisecond'
  AND NOT EXISTS (SELECT FROM job WHERE job.agent = agent.name AND job.state = 'running')
