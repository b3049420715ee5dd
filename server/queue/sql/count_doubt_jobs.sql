-- The number of open jobs to verify that were planned for writes of the owner $1.
SELECT count(*) FROM job WHERE owner = $1 AND purpose = 'verify' AND state <> 'done'
