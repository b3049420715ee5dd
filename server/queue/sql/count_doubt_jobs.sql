-- The number of open jobs to measure again that were planned for writes of the owner $1.
SELECT count(*) FROM job WHERE owner = $1 AND purpose = 'measure' AND state <> 'done'
