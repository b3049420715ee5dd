-- Open jobs to measure again that writes of owner $1 planned.
SELECT count(*) FROM job WHERE owner = $1 AND purpose = 'measure' AND state <> 'done'
