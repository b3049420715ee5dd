-- Each change of a key updates this row. So the transaction that locks it sees all keys, and nobody else changes one.
SELECT epoch FROM key_epoch FOR UPDATE
