-- Handed back without blame. Why is kept where the agent says it, once for each agent. Parameters: id,
-- instance, epoch, reason or null.
UPDATE job SET state = 'queued', lease_expires = NULL, claimed = NULL,
               reasons = CASE WHEN $4::text IS NULL
                                OR reasons @> jsonb_build_array(
                                     jsonb_build_object('agent', agent, 'reason', $4::text))
                              THEN reasons
                              ELSE reasons || jsonb_build_object(
                                'at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                                'agent', agent, 'epoch', epoch, 'reason', $4::text) END
WHERE id = $1 AND instance = $2 AND epoch = $3 AND state = 'running'
RETURNING *
